import Cryptography
import HTTPMessages
import Platform
import SelfieAPI
import SelfieTestDocuments

// Validates a seed and each of its records. `SeedProblems` collects the mistakes, SeedRows.swift makes rows of them, and StoredState+Seed.swift stores them.

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
  /// - Parameter parts: of the multipart body.
  func validate(parts: Parts, maxPhotoBytes: Int, now: Int64) throws(ControlError) {
    let photoCount = users.reduce(0) { $0 + $1.photos.count }
    let textCount = users.reduce(0) { $0 + $1.notes.count } + microblogUsers.reduce(0) { $0 + $1.blogposts.count }
    try Self.require(users.count + microblogUsers.count, atMost: Self.maxUsers, "users")
    try Self.require(photoCount, atMost: Self.maxPhotos, "photos")
    try Self.require(textCount, atMost: Self.maxTexts, "notes and posts")
    var problems = SeedProblems(parts: parts, maxPhotoBytes: maxPhotoBytes, now: now)
    clock?.validate(at: "clock: ", &problems.found)
    for (index, user) in users.enumerated() { user.validate(at: "users[\(index)]", &problems) }
    for (index, user) in microblogUsers.enumerated() { user.validate(at: "microblog.users[\(index)]", &problems) }
    try problems.found.check()
  }

  private static func require(_ count: Int, atMost max: Int, _ noun: String) throws(ControlError) {
    guard count <= max else { throw .invalid("A seed has at most \(max) \(noun), not \(count).") }
  }
}

extension Seed.User {
  fileprivate func validate(at place: String, _ problems: inout SeedProblems) {
    let isEmail = Validation.isEmail(email)
    problems.add(
      Validation.problem(ofText: email)
        ?? (isEmail ? nil : "is invalid: signup would not take \"\(email)\" either"), at: "\(place).email")
    problems.checkUnique(email, "email", at: "\(place).email")
    // From the minimum of signup to the maximum of reset_password.
    let (min, max) = (Accounts.signupPasswordBytes.lowerBound, PasswordHash.maxBytes)
    if let count = password?.utf8.count, !(min...max).contains(count) {
      problems.add("has \(count) bytes; a password has \(min) to \(max)", at: "\(place).password")
    }
    problems.checkHash(passwordHash, besides: password, at: place)
    if fullName != nil && (firstName != nil || lastName != nil) {
      problems.add("and first_name or last_name exclude each other", at: "\(place).full_name")
    }
    for (name, text) in [("first_name", names.first), ("last_name", names.last)] {
      problems.add(text.flatMap(Validation.problem), at: "\(place).\(name)")
    }
    // Retired ones are not limited in number: a user who refreshes many tokens has as many.
    problems.checkCount(tokens.count { $0.retired != true }, TokenStore.maxPerUser, "tokens", at: place)
    for (index, token) in tokens.enumerated() { token.validate(at: "\(place).tokens[\(index)]", &problems) }
    for (index, photo) in photos.enumerated() { photo.validate(at: "\(place).photos[\(index)]", &problems) }
    problems.checkCount(notes.count, SelfieAPI.Note.maxPerUser, "notes", at: place)
    for (index, note) in notes.enumerated() { note.validate(at: "\(place).notes[\(index)]", &problems) }
    let byteCount = notes.reduce(0) { $0 + Int64(($1.title ?? "").utf8.count) + Int64(($1.body ?? "").utf8.count) }
    if byteCount > SelfieAPI.Note.maxBytesPerUser {
      problems.add(
        "have \(byteCount) bytes; those of a user have at most \(SelfieAPI.Note.maxBytesPerUser)", at: "\(place).notes")
    }
  }

  /// As they are stored.
  var names: FullName {
    if let fullName { return FullName(fullName) }
    return firstName == nil && lastName == nil ? FullName("Test User") : FullName(first: firstName, last: lastName)
  }
}

extension Seed.Token {
  fileprivate func validate(at place: String, _ problems: inout SeedProblems) {
    if let token {
      problems.add(
        Self.canBeSent(token)
          ? nil
          : """
          is no token that a client could send in `Authorization: Token token=…`: a text of 1 to \
          \(RequestLimits.maxTokenBytes) bytes without control characters, and without a quotation mark before a comma \
          or semicolon
          """, at: "\(place).token")
    }
    problems.checkSecret(token, "token", digest, at: place)
    if family != "" { problems.checkDigest(family, at: "\(place).family") }
    if expiresAt != nil && expiresIn != nil {
      problems.add("and expires_in exclude each other", at: "\(place).expires_at")
    }
    if let expiresIn {
      let (expiry, isTooFar) = problems.now.addingReportingOverflow(expiresIn.milliseconds)
      problems.add(
        isTooFar || !TestInstant.range.contains(expiry) ? "does not end from 1970 to 9999" : nil,
        at: "\(place).expires_in")
    }
  }

  /// Whether a client can send these letters, in quotation marks, so that the server reads the same.
  private static func canBeSent(_ letters: String) -> Bool {
    guard (1...RequestLimits.maxTokenBytes).contains(letters.utf8.count),
      letters.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }),
      case .token(let token)? = Authorization.parse(Array("Token token=\"\(letters)\"".utf8)[...])
    else { return false }
    return token.elementsEqual(letters.utf8)
  }
}

extension Seed.Photo {
  fileprivate func validate(at place: String, _ problems: inout SeedProblems) {
    if let randomID, !SelfieAPI.Photo.isID(randomID.utf8) {
      problems.add("must have \(SelfieAPI.Photo.idLength) letters from a to z and A to Z", at: "\(place).random_id")
    }
    problems.checkUnique(randomID, "random_id", at: "\(place).random_id")
    problems.add(title.flatMap(Validation.problem), at: "\(place).title")
    problems.add(name.flatMap(Validation.problem), at: "\(place).name")
    if base64 != nil && part != nil { problems.add("and part exclude each other", at: "\(place).base64") }
    if let part, problems.parts[part] == nil {
      problems.add("is \(part), and the multipart body has no such part", at: "\(place).part")
    }
    guard let count = bytes(in: problems.parts)?.count else {
      return problems.add("must be base64: letters, digits, + and /, and = at its end", at: "\(place).base64")
    }
    if let byteCount, byteCount != count {
      problems.add("is \(byteCount), but the photo has \(count) bytes", at: "\(place).byte_count")
    }
    let max = problems.maxPhotoBytes
    if count > max { problems.add("has \(count) bytes, more than the \(max) of MAX_PHOTO_BYTES", at: place) }
  }

  /// Nil if its base64 (RFC 4648 §4, with or without line breaks and padding) is wrong.
  func bytes(in parts: Seed.Parts) -> [UInt8]? {
    guard let base64 else { return part.map { parts[$0]?.bytes ?? [] } ?? Seed.onePixel }
    let text = base64.utf8.filter { !"\r\n".utf8.contains($0) }
    let letters = text.prefix { $0.isASCIIAlphanumeric || "+/".utf8.contains($0) }
    let padding = text.dropFirst(letters.count)
    // Padding completes a group of four, and one letter alone has no byte.
    let isComplete = padding.isEmpty ? letters.count % 4 != 1 : text.count % 4 == 0 && padding.count <= 2
    return isComplete && padding.allSatisfy { $0 == UInt8(ascii: "=") } ? Base64.decodeLeniently(letters) : nil
  }
}

extension Seed {
  /// The smallest photo: a PNG of one orange pixel.
  package static let onePixel: [UInt8] = [
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00,
    0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x02, 0x00, 0x00, 0x00, 0x90, 0x77, 0x53, 0xde, 0x00, 0x00, 0x00, 0x0c, 0x49,
    0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0xf8, 0x10, 0xa0, 0x00, 0x00, 0x03, 0x94, 0x01, 0x61, 0x5c, 0x18, 0x91, 0x6f,
    0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
  ]
}

extension Seed.Note {
  fileprivate func validate(at place: String, _ problems: inout SeedProblems) {
    if let problem = SelfieAPI.Note.problem(title: title ?? "", body: body ?? "") {
      problems.found.add("\(place): \(problem)")
    }
  }
}

extension Seed.MicroblogUser {
  fileprivate func validate(at place: String, _ problems: inout SeedProblems) {
    if let problem = SelfieAPI.MicroblogUser.problem(name: name) { problems.found.add("\(place).name: \(problem)") }
    problems.checkUnique(name, "name", at: "\(place).name")
    if let problem = password.flatMap({ SelfieAPI.MicroblogUser.problem(password: Array($0.utf8)) }) {
      problems.found.add("\(place).password: \(problem)")
    }
    problems.checkHash(passwordHash, besides: password, at: place)
    problems.checkCount(sessions.count, MicroblogSessionStore.maxPerUser, "sessions", at: place)
    for (index, session) in sessions.enumerated() { session.validate(at: "\(place).sessions[\(index)]", &problems) }
    problems.checkCount(blogposts.count, SelfieAPI.Blogpost.maxPerUser, "blogposts", at: place)
    for (index, post) in blogposts.enumerated() { post.validate(at: "\(place).blogposts[\(index)]", &problems) }
  }
}

extension Seed.Session {
  fileprivate func validate(at place: String, _ problems: inout SeedProblems) {
    let length = MicroblogSession.cookieLength
    if let cookie, cookie.utf8.count != length || !cookie.utf8.allSatisfy(\.isASCIIAlphanumeric) {
      problems.add("is not of \(length) letters or digits", at: "\(place).cookie")
    }
    problems.checkSecret(cookie, "cookie", digest, at: place)
  }
}

extension Seed.Blogpost {
  fileprivate func validate(at place: String, _ problems: inout SeedProblems) {
    if let problem = SelfieAPI.Blogpost.problem(text: text) { problems.found.add("\(place).text: \(problem)") }
    problems.add(uuid.flatMap(Validation.problem), at: "\(place).uuid")
    problems.checkUnique(uuid, "uuid", at: "\(place).uuid")
  }
}
