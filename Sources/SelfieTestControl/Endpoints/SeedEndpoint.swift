import HTTPMessages
import SelfieAPI

extension World {
  /// `POST /__admin/seed`: adds users with what they have. The body is JSON, or multipart with the JSON in its part `seed`
  /// and photos in other parts.
  func seed(_ call: ControlCall) async throws -> Response {
    let contentType = call.request.head.fields[.contentType]
    let bytes = try await call.bytes(upTo: Self.maxStateBytes)
    let seed = try await application.onWorker { try SeedBody(bytes, contentType: contentType).seed() }
    let seeded = try await state.seed(seed)
    let prefix = application.photoURLPrefix(for: call.request)
    return try await application.onWorker {
      .json { json in
        json.member("users", objects: seeded.users) { $0.members(of: $1, photoURLs: prefix) }
        json.key("microblog")
        json.object { $0.member("users", objects: seeded.microblogUsers) { $0.members(of: $1) } }
      }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func members(of user: Seeded.User, photoURLs: JSONFragment) {
    member("id", user.id)
    member("email", user.email)
    member("password", user.password)
    member("first_name", user.firstName)
    member("last_name", user.lastName)
    member("tokens", objects: user.tokens) { json, token in
      json.member("token", token.letters)
      json.member("expires_at", time: token.expiresAt)
    }
    member("photos", objects: user.photos) { $0.members(of: $1, photoURLs: photoURLs) }
    member("notes", objects: user.notes) { $0.members(of: $1) }
  }

  private mutating func members(of photo: Seeded.Photo, photoURLs: JSONFragment) {
    member("id", photo.id)
    member("random_id", photo.randomID)
    key("image_url")
    Array(photo.randomID.utf8).withUnsafeBufferPointer { string(photoURLs, thenPlain: $0) }
    member("name", photo.name)
    member("title", photo.title)
    member("content_type", photo.contentType)
    member("byte_count", Int64(photo.byteCount))
    member("created_at", time: photo.createdAt)
  }
}

/// The body of a seed request: the JSON, and the files in other parts.
private struct SeedBody {
  private let members: JSONMembers
  private let parts: [String: Part]

  struct Part {
    let filename: String?
    let bytes: [UInt8]
  }

  init(_ bytes: [UInt8], contentType: ArraySlice<UInt8>?) throws {
    do {
      guard case .multipart(let boundary) = try BodyKind(contentType: contentType) else {
        (members, parts) = (try ControlCall.members(of: bytes), [:])
        return
      }
      var parts = try Self.parts(of: bytes, boundary: boundary)
      guard let seed = parts.removeValue(forKey: "seed") else {
        throw ControlError.badRequest("The multipart body has no part named seed, which holds the JSON.")
      }
      (members, self.parts) = (try ControlCall.members(of: seed.bytes), parts)
    } catch let error as ParameterError {
      throw ControlError.badRequest(error.message)
    }
  }

  private static func parts(of bytes: [UInt8], boundary: [UInt8]) throws -> [String: Part] {
    var parser = MultipartParser(boundary: boundary)
    parser.append(bytes)
    var parts: [String: Part] = [:]
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
        guard parts.updateValue(Part(filename: filename, bytes: content), forKey: name) == nil else {
          throw ControlError.badRequest("The multipart body has two parts named \(name).")
        }
      case .needsMore:
        try parser.finish()
        return parts
      case .end: return parts
      }
    }
  }

  func seed() throws -> Seed {
    try members.allow("users", "microblog")
    let (users, microblog) = (try members.objects("users"), try members.object("microblog"))
    guard users != nil || microblog != nil else {
      throw members.wrong("users", #"is missing; the shortest seed is {"users":[{"email":"a@example.com"}]}"#)
    }
    try microblog?.allow("users")
    return Seed(
      users: try users?.map(user) ?? [],
      microblogUsers: try microblog?.objects("users")?.map(Seed.MicroblogUser.init) ?? [])
  }

  private func user(_ members: JSONMembers) throws -> Seed.User {
    try members.allow(
      "email", "password", "full_name", "first_name", "last_name", "tokens", "photos", "notes", "created_at")
    var user = Seed.User(email: try members.requiredText("email"))
    user.password = try members.text("password") ?? Seed.defaultPassword
    let isNamed = members.has("first_name") || members.has("last_name")
    if let fullName = try members.text("full_name") {
      guard !isNamed else { throw members.wrong("full_name", "and first_name or last_name exclude each other") }
      user = Seed.User(email: user.email, password: user.password, fullName: fullName)
    } else if isNamed {
      (user.firstName, user.lastName) = (try members.text("first_name"), try members.text("last_name"))
    }
    user.tokens = try members.textsOrObjects("tokens", "token, expires_at or expires_in") {
      Seed.Token($0)
    } object: {
      try token($0)
    }
    user.photos = try members.objects("photos")?.map(photo) ?? []
    user.notes = try members.objects("notes")?.map(Seed.Note.init) ?? []
    user.createdAt = try members.instant("created_at")
    return user
  }

  /// The server makes the letters of a token that has none.
  private func token(_ members: JSONMembers) throws -> Seed.Token {
    try members.allow("token", "expires_at", "expires_in")
    let letters = try members.text("token")
    switch (try members.instant("expires_at"), try members.duration("expires_in")) {
    case (nil, nil): return Seed.Token(letters)
    case (let instant?, nil): return Seed.Token(letters, expiry: .at(instant))
    case (nil, let duration?): return Seed.Token(letters, expiry: .after(milliseconds: duration))
    default: throw members.wrong("expires_at", "and expires_in exclude each other")
    }
  }

  private func photo(_ members: JSONMembers) throws -> Seed.Photo {
    try members.allow("title", "name", "random_id", "created_at", "base64", "part")
    var photo = Seed.Photo(
      title: try members.text("title") ?? "", randomID: try members.text("random_id"),
      createdAt: try members.instant("created_at"))
    switch (try members.base64("base64"), try members.text("part")) {
    case (nil, nil): break
    case (let bytes?, nil): photo.bytes = bytes
    case (nil, let name?):
      guard let part = parts[name] else {
        throw members.wrong("part", "is \(name), and the multipart body has no such part")
      }
      photo.bytes = part.bytes
      photo.name = part.filename ?? photo.name
    default: throw members.wrong("base64", "and part exclude each other")
    }
    photo.name = try members.text("name") ?? photo.name
    return photo
  }
}
