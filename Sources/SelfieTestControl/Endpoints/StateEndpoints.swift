import HTTPMessages
import Platform
import SelfieAPI

// What is stored: seeds, exports and imports, snapshots, resets and tokens.

extension World {
  /// The limit of a body with photos. The largest photo that the API takes by default fits as base64. A body is held in
  /// memory twice, so a test machine could not take much more.
  private static let maxStateBytes = 96 * 1024 * 1024

  /// `POST /__admin/seed`: adds users with what they have. The body is JSON, or multipart with the JSON in its part `seed`
  /// and photos in other parts.
  func seed(_ call: ControlCall) async throws -> Response {
    let contentType = call.request.head.fields[.contentType]
    let bytes = try await call.request.body.collect(upTo: Self.maxStateBytes)
    let seed = try await application.lists.run {
      let members = try Self.seedMembers(bytes, contentType: contentType)
      let seed = try Seed(members)
      guard members.has("users") || members.has("microblog") else {
        throw members.wrong("users", #"is missing; the shortest seed is {"users":[{"email":"a@example.com"}]}"#)
      }
      return seed
    }
    let seeded = try await state.seed(seed)
    let prefix = application.photoURLPrefix(for: call.request)
    return try await application.lists.run { .json { seeded.writeMembers(to: &$0, photoURLs: prefix) } }
  }

  private static func seedMembers(_ bytes: [UInt8], contentType: ArraySlice<UInt8>?) throws -> JSONMembers {
    guard case .multipart(let boundary) = try BodyKind(contentType: contentType) else {
      return try ControlCall.members(of: bytes)
    }
    var parts = try parts(of: bytes, boundary: boundary)
    guard let seed = parts.removeValue(forKey: "seed") else {
      throw ControlError.invalid("The multipart body has no part named seed, which holds the JSON.")
    }
    var members = try ControlCall.members(of: seed.bytes)
    members.parts = parts
    return members
  }

  private static func parts(of bytes: [UInt8], boundary: [UInt8]) throws -> JSONMembers.Parts {
    var parser = MultipartParser(boundary: boundary)
    parser.append(bytes)
    var parts: JSONMembers.Parts = [:]
    var head: PartHead?
    var content: [UInt8] = []
    while true {
      switch try parser.next() {
      case .part(let next): (head, content) = (next, [])
      case .data(let data): content += data
      case .partEnd:
        guard let name = head?.name else { continue }
        var filename: String?
        if case .file(let given)? = head?.kind { filename = given }
        guard parts.updateValue((filename, content), forKey: name) == nil else {
          throw ControlError.invalid("The multipart body has two parts named \(name).")
        }
      case .needsMore, .end:
        try parser.finish()
        return parts
      }
    }
  }

  /// `GET /__admin/state`: exports the stored state.
  func exportState(_ call: ControlCall) async throws -> Response {
    let document = try await state.exportState()
    return try await application.lists.run { .json { document.writeMembers(to: &$0) } }
  }

  /// `POST /__admin/state`: replaces the stored state by an exported one.
  func importState(_ call: ControlCall) async throws -> Response {
    let bytes = try await call.request.body.collect(upTo: Self.maxStateBytes)
    let now = application.clock()
    let document = try await application.lists.run {
      var members = try ControlCall.members(of: bytes)
      members.now = now
      let document = try StateDocument(members)
      guard members.has("users") else {
        throw members.wrong("users", #"is missing; {"users":[]} is the shortest state: an empty one"#)
      }
      return document
    }
    let folder = call.seedFolder
    let counts = try await state.importState(document) { path throws(NoPlainFile) in
      guard let folder else {
        throw NoPlainFile("the server was started without --seed-folder, so it reads no files by path; pass base64")
      }
      return try folder.open(path)
    }
    return .json { counts.writeMembers(to: &$0) }
  }

  /// `POST /__admin/reset`: restores the initial state.
  func resetWorld(_ call: ControlCall) async throws -> Response {
    try await call.checkEmptyBody()
    let removed = try await reset()
    return .json { json in
      json.key("removed")
      json.object { removed.writeMembers(to: &$0) }
    }
  }

  // MARK: - Snapshots

  /// `GET /__admin/snapshots`: lists the snapshots.
  func listSnapshots(_ call: ControlCall) -> Response {
    .json { json in
      json.member("snapshots", objects: snapshots.list) { $1.writeMembers(to: &$0) }
      json.member("most", Int64(Snapshots.maxCount))
    }
  }

  /// `PUT` or `POST /__admin/snapshots/{name}`: saves the stored state.
  func saveSnapshot(_ call: ControlCall) async throws -> Response {
    try await call.checkEmptyBody()
    let saved = try await snapshots.save(call.name)
    return .json { saved.writeMembers(to: &$0) }
  }

  /// `DELETE /__admin/snapshots/{name}`: deletes a snapshot.
  func deleteSnapshot(_ call: ControlCall) async throws -> Response {
    try await snapshots.delete(call.name)
    return .json { $0.member("removed", call.name) }
  }

  /// `POST /__admin/snapshots/{name}/restore`: replaces the stored state by that of a snapshot.
  func restoreSnapshot(_ call: ControlCall) async throws -> Response {
    try await call.checkEmptyBody()
    let restored = try await snapshots.restore(call.name)
    return .json { restored.writeMembers(to: &$0) }
  }

  // MARK: - Tokens

  /// `POST /__admin/tokens/expire`: lets the tokens of a user expire now; without `email`, all tokens.
  func expireTokens(_ call: ControlCall) async throws -> Response {
    let count = try await state.expireTokens(email: try await Self.email(in: call))
    return .json { $0.member("expired", count) }
  }

  /// `POST /__admin/tokens/revoke`: removes the tokens of a user; without `email`, all tokens.
  func revokeTokens(_ call: ControlCall) async throws -> Response {
    let count = try await state.revokeTokens(email: try await Self.email(in: call))
    return .json { $0.member("revoked", count) }
  }

  private static func email(in call: ControlCall) async throws -> String? {
    let body = try await call.body()
    try body.allow(["email"])
    let email = try body.text("email")
    // A null is more likely a mistake in a test than a request for all users.
    guard email != nil || body.isEmpty else {
      throw body.wrong("email", "must be a string; leave it out for the tokens of all users")
    }
    return email
  }
}
