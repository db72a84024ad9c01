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
    .required("email", \.email, .email), .optional("password", \.password, .password),
    .nullable("first_name", \.firstName, .text), .nullable("last_name", \.lastName, .text),
    // After the members that a full name excludes.
    JSONMember(name: "full_name", read: { try $1.readName($0) }),
    .list("tokens", \.tokens, atMost: TokenStore.maxPerUser), .list("photos", \.photos),
    .list("notes", \.notes, atMost: SelfieAPI.Note.maxPerUser), .nullable("created_at", \.createdAt, .instant),
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
    .nullable("token", \.letters, .letters), JSONMember(name: "expires_at", read: { $1.expiry = try .init($0) }),
    .name("expires_in"),
  ]

  func checkWhole(_ place: String, _ problems: inout Problems) {
    if let instant = expiry.instant(from: problems.now), !TimeText.instants.contains(instant) {
      problems.add("\(place) does not expire from 1970 to 9999.")
    }
  }

  /// Whether a client can send these letters so that the server reads the same, with or without quotation marks.
  fileprivate static func canBeSent(_ letters: String) -> Bool {
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
  /// Nil for the server's lifetime of tokens; no valid time if it is too far away.
  func instant(from now: Int64) -> Int64? {
    switch self {
    case .lifetime: return nil
    case .at(let instant): return instant
    case .after(let milliseconds):
      let (instant, isTooFar) = now.addingReportingOverflow(milliseconds)
      return isTooFar ? .max : instant
    }
  }

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
    .required("name", \.name, .microblogName),
    .optional("password", \.password, .any.checked(": ") { SelfieAPI.MicroblogUser.problem(password: Array($0.utf8)) }),
    .list("sessions", \.sessions, atMost: MicroblogSessionStore.maxPerUser),
    .list("blogposts", \.blogposts, atMost: SelfieAPI.Blogpost.maxPerUser),
    .nullable("created_at", \.createdAt, .instant),
  ]
}

extension Seed.Session: JSONRecord {
  static func blank(at now: Int64) -> Self { Self() }

  static func shorthand(_ text: String) -> Self? { Self(text) }

  static let members: [JSONMember<Self>] = [
    .nullable("cookie", \.cookie, .cookie), .nullable("used_at", \.usedAt, .instant),
  ]
}

extension Seed.Blogpost: JSONRecord {
  static func blank(at now: Int64) -> Self { Self("") }

  static func shorthand(_ text: String) -> Self? { Self(text) }

  static let members: [JSONMember<Self>] = [
    .required("text", \.text, .postText), .nullable("uuid", \.uuid, .uuid),
    .nullable("created_at", \.createdAt, .instant),
  ]
}

extension JSONKind<String> {
  /// From the minimum of signup to the maximum of reset_password.
  fileprivate static var password: JSONKind {
    let (min, max) = (Application.signupPasswordBytes.lowerBound, PasswordHash.maxBytes)
    return any.checked { password in
      let count = password.utf8.count
      return (min...max).contains(count) ? nil : "has \(count) bytes; a password has \(min) to \(max)."
    }
  }

  fileprivate static var letters: JSONKind {
    any.checked { letters in
      Seed.Token.canBeSent(letters)
        ? nil
        : """
        is no token that a client could send in `Authorization: Token token=…`: a text of 1 to \
        \(RequestLimits.maxTokenBytes) bytes without control characters, and without a quotation mark before a comma or \
        semicolon.
        """
    }.unique("token")
  }

  fileprivate static var cookie: JSONKind {
    let length = MicroblogSession.cookieLength
    return any.checked { cookie in
      cookie.utf8.count == length && cookie.utf8.allSatisfy(\.isASCIIAlphanumeric)
        ? nil : "is not of \(length) letters or digits."
    }.unique("session")
  }
}
