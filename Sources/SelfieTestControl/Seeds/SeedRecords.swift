import Cryptography
import HTTPMessages
import Platform
import SelfieAPI

// The records of a seed as JSON, and what must be right of them.

extension Seed {
  /// Every distinct password is hashed, which takes a millisecond at the lowest cost, and minutes for all at the usual
  /// one.
  static let maxUsers = 10_000
  /// All uploads wait for the seconds in which the files and rows are made.
  static let maxPhotos = 50_000
  /// Notes and posts. All other writes wait for the second in which their rows are made.
  static let maxTexts = 100_000

  /// Throws everything that is wrong.
  ///
  /// - Parameter now: unix milliseconds.
  func check(maxPhotoBytes: Int, now: Int64) throws(ControlError) {
    for (count, max, noun) in [
      (users.count + microblogUsers.count, Self.maxUsers, "users"),
      (users.reduce(0) { $0 + $1.photos.count }, Self.maxPhotos, "photos"),
      (
        users.reduce(0) { $0 + $1.notes.count } + microblogUsers.reduce(0) { $0 + $1.blogposts.count }, Self.maxTexts,
        "notes and posts"
      ),
    ] where count > max {
      throw .invalid("A seed has at most \(max) \(noun), not \(count).")
    }
    var problems = Problems()
    (problems.now, problems.maxPhotoBytes) = (now, maxPhotoBytes)
    try check(known: problems)
  }
}

extension Seed: JSONRecord {
  static func blank(at now: Int64) -> Self { Self() }

  static let members: [JSONMember<Self>] = [
    .list("users", \.users),
    JSONMember(
      name: "microblog",
      read: { members, seed in
        guard let microblog = try members.object("microblog") else { return }
        try microblog.allow([microblogUsers.name])
        try microblogUsers.read(microblog, &seed)
      }, check: { microblogUsers.check($0, "microblog.", &$2) }),
  ]

  private static let microblogUsers = JSONMember<Self>.list("users", \.microblogUsers)
}

extension Seed.User: JSONRecord {
  static func blank(at now: Int64) -> Self { Self(email: "") }

  static let members: [JSONMember<Self>] = [
    .required("email", \.email, .email), .optional("password", \.password, .any),
    .nullable("first_name", \.firstName, .text), .nullable("last_name", \.lastName, .text),
    // After the members that a full name excludes.
    JSONMember(name: "full_name", read: { try $1.readName($0) }), .list("tokens", \.tokens),
    .list("photos", \.photos), .list("notes", \.notes), .nullable("created_at", \.createdAt, .instant),
  ]

  private mutating func readName(_ members: JSONMembers) throws {
    let isNamed = members.has("first_name") || members.has("last_name")
    if let fullName = try members.text("full_name") {
      guard !isNamed else { throw members.wrong("full_name", "and first_name or last_name exclude each other") }
      (firstName, lastName) = Application.words(fullName)
    } else if !isNamed {
      firstName = Seed.defaultName.first
      lastName = Seed.defaultName.last
    }
  }

  func checkWhole(_ place: String, _ problems: inout Problems) {
    problems.check(
      ExactText(email), isFirst: "email", "\(place).email: another user of the seed has \(email), too.")
    let (passwords, count) = (Application.passwordBytes, password.utf8.count)
    if !passwords.contains(count) {
      problems.add(
        "\(place).password has \(count) bytes; a password has \(passwords.lowerBound) to \(passwords.upperBound).")
    }
    problems.check(tokens.count, atMost: TokenStore.maxPerUser, "tokens", "\(place).tokens")
    problems.check(notes.count, atMost: SelfieAPI.Note.maxPerUser, "notes", "\(place).notes")
    let byteCount = notes.reduce(0) { $0 + Int64($1.title.utf8.count) + Int64($1.body.utf8.count) }
    if byteCount > SelfieAPI.Note.maxBytesPerUser {
      problems.add(
        "\(place).notes: the notes of a user have at most \(SelfieAPI.Note.maxBytesPerUser) bytes, not \(byteCount).")
    }
  }
}

extension Seed.Token: JSONRecord {
  static func blank(at now: Int64) -> Self { Self() }

  static func shorthand(_ text: String) -> Self? { Self(text) }

  static let members: [JSONMember<Self>] = [
    .nullable("token", \.letters, .any), JSONMember(name: "expires_at", read: { $1.expiry = try .init($0) }),
    .name("expires_in"),
  ]

  func checkWhole(_ place: String, _ problems: inout Problems) {
    switch expiry {
    case .at(let instant) where !TimeText.instants.contains(instant):
      problems.add("\(place).expires_at is not from 1970 to 9999.")
    case .after(let milliseconds):
      let (instant, isTooFar) = problems.now.addingReportingOverflow(milliseconds)
      if isTooFar || !TimeText.instants.contains(instant) {
        problems.add("\(place).expires_in is not from 1970 to 9999.")
      }
    case .lifetime, .at: break
    }
    guard let letters else { return }
    if !Self.canBeSent(letters) {
      problems.add(
        """
        \(place): no client could send this token in `Authorization: Token token=…`. It is a text of 1 to \
        \(RequestLimits.maxTokenBytes) bytes without control characters, and without a quotation mark before a comma or semicolon.
        """)
    }
    problems.check(ExactText(letters), isFirst: "token", "\(place): another token of the seed is the same.")
  }

  /// Whether a client can send these letters so that the server reads the same, with or without quotation marks.
  private static func canBeSent(_ letters: String) -> Bool {
    let bytes = Array(letters.utf8)
    guard (1...RequestLimits.maxTokenBytes).contains(bytes.count), bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
      return false
    }
    // Spaces at the ends of a field are not part of it.
    let isBare = bytes.first != 0x20 && bytes.last != 0x20 && isRead("Token token=\(letters)", as: bytes)
    return isBare || isRead("Token token=\"\(letters)\"", as: bytes)
  }

  private static func isRead(_ field: String, as letters: [UInt8]) -> Bool {
    guard case .token(let token)? = Authorization.parse(Array(field.utf8)[...]) else { return false }
    return token.elementsEqual(letters)
  }
}

extension Seed.Expiry {
  fileprivate init(_ members: JSONMembers) throws {
    switch (try members.instant("expires_at"), try members.duration("expires_in")) {
    case (nil, nil): self = .lifetime
    case (let instant?, nil): self = .at(instant)
    case (nil, let duration?): self = .after(milliseconds: duration)
    default: throw members.wrong("expires_at", "and expires_in exclude each other")
    }
  }
}

extension Seed.Photo: JSONRecord {
  static func blank(at now: Int64) -> Self { Self() }

  static let members: [JSONMember<Self>] = [
    .optional("title", \.title, .text), .nullable("name", \.name, .text),
    .nullable("random_id", \.randomID, .randomID), .nullable("created_at", \.createdAt, .instant),
    JSONMember(name: "base64", read: { try $1.readBytes($0) }), .name("part"),
  ]

  private mutating func readBytes(_ members: JSONMembers) throws {
    var filename: String?
    switch (try members.base64("base64"), try members.text("part")) {
    case (nil, nil): break
    case (let bytes?, nil): self.bytes = bytes
    case (nil, let name?):
      guard let part = members.parts[name] else {
        throw members.wrong("part", "is \(name), and the multipart body has no such part")
      }
      bytes = part.bytes
      filename = part.filename
    default: throw members.wrong("base64", "and part exclude each other")
    }
    name = name ?? filename ?? Self().name
  }

  func checkWhole(_ place: String, _ problems: inout Problems) {
    let (count, max) = (bytes.count, problems.maxPhotoBytes)
    if count > max { problems.add("\(place) has \(count) bytes, more than the \(max) of MAX_PHOTO_BYTES.") }
    guard let randomID else { return }
    problems.check(randomID, isFirst: "photo", "\(place).random_id: another photo of the seed has the same.")
  }
}

extension Seed.Note: JSONRecord {
  static func blank(at now: Int64) -> Self { Self() }

  static let members: [JSONMember<Self>] = [
    .optional("title", \.title, .any), .optional("body", \.body, .any),
    .nullable("created_at", \.createdAt, .instant), .nullable("updated_at", \.updatedAt, .instant),
  ]

  func checkWhole(_ place: String, _ problems: inout Problems) {
    if let problem = SelfieAPI.Note.problem(title: title, body: body) { problems.add("\(place): \(problem)") }
  }
}

extension Seed.MicroblogUser: JSONRecord {
  static func blank(at now: Int64) -> Self { Self(name: "") }

  static let members: [JSONMember<Self>] = [
    .required("name", \.name, .any), .optional("password", \.password, .any), .list("sessions", \.sessions),
    .list("blogposts", \.blogposts), .nullable("created_at", \.createdAt, .instant),
  ]

  func checkWhole(_ place: String, _ problems: inout Problems) {
    if let problem = SelfieAPI.MicroblogUser.problem(name: name) { problems.add("\(place).name: \(problem)") }
    problems.check(ExactText(name), isFirst: "name", "\(place).name: another user of the seed has \(name), too.")
    if let problem = SelfieAPI.MicroblogUser.problem(password: Array(password.utf8)) {
      problems.add("\(place).password: \(problem)")
    }
    problems.check(sessions.count, atMost: MicroblogSessionStore.maxPerUser, "sessions", "\(place).sessions")
    problems.check(blogposts.count, atMost: SelfieAPI.Blogpost.maxPerUser, "posts", "\(place).blogposts")
  }
}

extension Seed.Session: JSONRecord {
  static func blank(at now: Int64) -> Self { Self() }

  static func shorthand(_ text: String) -> Self? { Self(text) }

  static let members: [JSONMember<Self>] = [
    .nullable("cookie", \.cookie, .any), .nullable("used_at", \.usedAt, .instant),
  ]

  func checkWhole(_ place: String, _ problems: inout Problems) {
    guard let cookie else { return }
    if cookie.utf8.count != MicroblogSession.cookieLength || !cookie.utf8.allSatisfy(\.isASCIIAlphanumeric) {
      problems.add("\(place): the cookie of a session has \(MicroblogSession.cookieLength) letters or digits.")
    }
    problems.check(cookie, isFirst: "session", "\(place): another session of the seed is the same.")
  }
}

extension Seed.Blogpost: JSONRecord {
  static func blank(at now: Int64) -> Self { Self("") }

  static func shorthand(_ text: String) -> Self? { Self(text) }

  static let members: [JSONMember<Self>] = [
    .required("text", \.text, .any), .nullable("uuid", \.uuid, .text), .nullable("created_at", \.createdAt, .instant),
  ]

  func checkWhole(_ place: String, _ problems: inout Problems) {
    if let problem = SelfieAPI.Blogpost.problem(text: text) { problems.add("\(place).\(problem)") }
    guard let uuid else { return }
    problems.check(ExactText(uuid), isFirst: "uuid", "\(place).uuid: another post of the seed has the same.")
  }
}

extension Problems {
  fileprivate mutating func check(_ count: Int, atMost max: Int64, _ nouns: String, _ place: String) {
    if count > max { add("\(place): a user has at most \(max) \(nouns), not \(count).") }
  }
}

extension Application {
  /// From the minimum of signup to the maximum of reset_password.
  fileprivate static let passwordBytes = signupPasswordBytes.lowerBound...PasswordHash.maxBytes
}
