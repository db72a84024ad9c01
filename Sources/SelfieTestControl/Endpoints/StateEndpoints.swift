import HTTPMessages
import Platform
import SelfieAPI
import SelfieTestDocuments

// Endpoints for what is stored: seeds, exports, snapshots, resets and tokens. `StoredState` and `Snapshots` do the
// work.

extension World {
  /// The limit of a body with photos. The largest photo that the API takes by default fits as base64. A body is held in
  /// memory twice, so a test machine could not take much more.
  private static let maxStateBytes = 96 * 1024 * 1024

  /// `POST /__admin/seed`: adds users with what they have. The body is JSON, or multipart with the JSON in its part `seed`
  /// and photos in other parts.
  func seed(_ call: ControlCall) async throws -> Response {
    let contentType = call.request.head.fields[.contentType]
    let bytes = try await call.request.body.collect(upTo: Self.maxStateBytes)
    let (seed, parts) = try await application.lists.run { try Self.seed(bytes, contentType: contentType) }
    let stored = try await clock.trying(seed.clock) { try await state.seed(seed, parts: parts) }
    return try await response(stored, to: call)
  }

  /// Stores a seed in JSON, and sets the clock as it says.
  package func seed(_ json: [UInt8]) async throws {
    let (seed, _) = try Self.seed(json, contentType: Array("application/json".utf8)[...])
    _ = try await clock.trying(seed.clock) { try await state.seed(seed) }
  }

  private static func seed(_ bytes: [UInt8], contentType: ArraySlice<UInt8>?) throws -> (Seed, Seed.Parts) {
    var (json, parts) = (bytes, Seed.Parts())
    if case .multipart(let boundary) = try BodyKind(contentType: contentType) {
      parts = try Self.parts(of: bytes, boundary: boundary)
      guard let seed = parts.removeValue(forKey: "seed") else {
        throw ControlError.invalid("The multipart body has no part named seed, which holds the JSON.")
      }
      json = seed.bytes
    }
    let members = try ControlCall.members(of: json)
    let seed: Seed = try ControlCall.document(of: members)
    guard ["users", "microblog", "clock"].contains(where: { members[$0] ?? .null != .null }) else {
      throw ControlError.invalid(#"users is missing; the shortest seed is {"users":[{"email":"a@example.com"}]}."#)
    }
    return (seed, parts)
  }

  /// A seed with the addresses of its photos.
  private func response(_ seed: Seed, to call: ControlCall) async throws -> Response {
    let quote = [UInt8(ascii: "\"")]
    let quoted = quote + application.settings.photoURLPrefix(for: call.request) + quote
    guard case .string(let prefix) = try JSONReader.read(quoted) else { return .json(seed) }
    return try await application.lists.run {
      var seed = seed
      for user in seed.users.indices {
        for photo in seed.users[user].photos.indices {
          seed.users[user].photos[photo].imageURL = prefix + (seed.users[user].photos[photo].randomID ?? "")
        }
      }
      return .json(seed)
    }
  }

  private static func parts(of bytes: [UInt8], boundary: [UInt8]) throws -> Seed.Parts {
    var parser = MultipartParser(boundary: boundary)
    parser.append(bytes)
    var parts: Seed.Parts = [:]
    var head: PartHead?
    var content: [UInt8] = []
    while true {
      switch try parser.next() {
      case .part(let next): (head, content) = (next, [])
      case .data(let data): content += data
      case .partEnd:
        guard let name = head?.name else { continue }
        var filename: String?
        if case .misnamed(let error)? = head?.kind { throw error }
        if case .file(let given)? = head?.kind { filename = given }
        guard parts.updateValue(Seed.Part(filename: filename, bytes: content), forKey: name) == nil else {
          throw ControlError.invalid("The multipart body has two parts named \(name).")
        }
      case .needsMore, .end:
        try parser.finish()
        return parts
      }
    }
  }

  /// `GET /__admin/state`: exports the stored state as a seed.
  func exportState(_ call: ControlCall) async throws -> Response {
    try await response(exportedSeed(withBytes: call.query(StateQuery.self).base64 ?? true), to: call)
  }

  /// The stored state as a seed in JSON.
  package func exported() async throws -> [UInt8] { try JSONWriter.encode(await exportedSeed(withBytes: true)) }

  private func exportedSeed(withBytes: Bool) async throws -> Seed {
    var seed = try await state.export(withBytes: withBytes)
    seed.clock = clock.document
    return seed
  }

  // MARK: - Snapshots

  /// `GET /__admin/snapshots`: lists the snapshots.
  func listSnapshots(_ call: ControlCall) -> Response {
    .json(SnapshotList(snapshots: snapshots.list, most: Snapshots.maxCount))
  }

  /// `PUT` or `POST /__admin/snapshots/{name}`: saves the stored state.
  func saveSnapshot(_ call: ControlCall) async throws -> Response {
    try await call.checkEmptyBody()
    return .json(try await snapshots.save(call.name))
  }

  /// `DELETE /__admin/snapshots/{name}`: deletes a snapshot.
  func deleteSnapshot(_ call: ControlCall) async throws -> Response {
    try await snapshots.delete(call.name)
    return .json(Removed(call.name))
  }

  /// `POST /__admin/snapshots/{name}/restore`: replaces the stored state by that of a snapshot.
  func restoreSnapshot(_ call: ControlCall) async throws -> Response {
    try await call.checkEmptyBody()
    return .json(try await snapshots.restore(call.name))
  }

  // MARK: - Tokens

  /// `POST /__admin/tokens/expire`: lets the tokens of a user expire now; without `email`, all tokens.
  func expireTokens(_ call: ControlCall) async throws -> Response {
    .json(["expired": try await state.expireTokens(email: try await Self.email(in: call))])
  }

  /// `POST /__admin/tokens/revoke`: removes the tokens of a user; without `email`, all tokens.
  func revokeTokens(_ call: ControlCall) async throws -> Response {
    .json(["revoked": try await state.revokeTokens(email: try await Self.email(in: call))])
  }

  private static func email(in call: ControlCall) async throws -> String? {
    let members = try await call.members()
    let email = try ControlCall.document(TokenOwner.self, of: members).email
    // A null is more likely a mistake in a test than a request for all users.
    guard email != nil || members.isEmpty else {
      throw ControlError.invalid("email must be a string; leave it out for the tokens of all users.")
    }
    return email
  }
}

extension Worlds {
  /// `POST /__admin/reset`: restores the initial state of a world, and ends its fault of connections.
  func reset(_ world: World, _ call: ControlCall) async throws -> Response {
    try await call.checkEmptyBody()
    connectionFaults.end(in: Self.worldName(of: call.request))
    return .json(Removed(try await world.reset()))
  }
}

/// Whether a state has the bytes of photos, as it does by default.
private struct StateQuery: Decodable { let base64: Bool? }
