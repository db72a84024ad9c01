import Cryptography
import HTTPMessages
import SelfieAPI

/// Finds everything that is wrong with a seed before anything is stored.
struct SeedValidator {
  private let seed: Seed
  private let maxPhotoBytes: Int
  private let now: Int64
  private var problems: [String] = []
  private var emails: Set<String> = []
  private var tokens: Set<String> = []
  private var randomIDs: Set<String> = []

  /// Every distinct password is hashed, which takes a millisecond at the lowest cost, and minutes for all at the usual
  /// one.
  static let maxUsers = 10_000
  /// All uploads wait for the seconds in which the files and rows are made.
  static let maxPhotos = 50_000

  /// - Parameter now: unix milliseconds.
  init(_ seed: Seed, maxPhotoBytes: Int, now: Int64) {
    self.seed = seed
    self.now = now
    self.maxPhotoBytes = maxPhotoBytes
  }

  /// Throws `StateError` with all problems.
  func check() throws(StateError) {
    var check = self
    guard seed.users.count <= Self.maxUsers else {
      throw StateError(.invalid, "A seed has at most \(Self.maxUsers) users, not \(seed.users.count).")
    }
    let photoCount = seed.users.reduce(0) { $0 + $1.photos.count }
    guard photoCount <= Self.maxPhotos else {
      throw StateError(.invalid, "A seed has at most \(Self.maxPhotos) photos, not \(photoCount).")
    }
    for (index, user) in seed.users.enumerated() { check.check(user, "users[\(index)]") }
    guard check.problems.isEmpty else { throw StateError(.invalid, check.problems) }
  }

  private mutating func check(_ user: Seed.User, _ place: String) {
    if let problem = TextCheck.email(user.email) { problems.append("\(place).email \(problem).") }
    if !emails.insert(user.email).inserted {
      problems.append("\(place).email: another user of the seed has \(user.email), too.")
    }
    let passwordBytes = user.password.utf8.count
    if !Application.passwordBytes.contains(passwordBytes) {
      problems.append(
        """
        \(place).password has \(passwordBytes) bytes; a password has \(Application.passwordBytes.lowerBound) to \
        \(Application.passwordBytes.upperBound).
        """)
    }
    check(text: user.firstName, "\(place).first_name")
    check(text: user.lastName, "\(place).last_name")
    if let createdAt = user.createdAt { check(instant: createdAt, "\(place).created_at") }
    if user.tokens.count > Int(TokenStore.mostPerUser) {
      problems.append("\(place).tokens: a user has at most \(TokenStore.mostPerUser) tokens, not \(user.tokens.count).")
    }
    for (index, token) in user.tokens.enumerated() { check(token, "\(place).tokens[\(index)]") }
    for (index, photo) in user.photos.enumerated() { check(photo, "\(place).photos[\(index)]") }
  }

  private mutating func check(_ token: Seed.Token, _ place: String) {
    switch token.expiry {
    case .lifetime: break
    case .at(let instant): check(instant: instant, "\(place).expires_at")
    case .after(let milliseconds):
      let (instant, isTooFar) = now.addingReportingOverflow(milliseconds)
      check(instant: isTooFar ? nil : instant, "\(place).expires_in")
    }
    guard let letters = token.letters else { return }
    if !Self.canBeSent(letters) {
      problems.append(
        """
        \(place): no client could send this token in `Authorization: Token token=…`. It is a text of 1 to \
        \(RequestLimits.maxTokenBytes) bytes without control characters, and without a quotation mark before a comma or semicolon.
        """)
    }
    if !tokens.insert(letters).inserted { problems.append("\(place): another token of the seed is the same.") }
  }

  private mutating func check(_ photo: Seed.Photo, _ place: String) {
    check(text: photo.title, "\(place).title")
    check(text: photo.name, "\(place).name")
    if let createdAt = photo.createdAt { check(instant: createdAt, "\(place).created_at") }
    if photo.bytes.count > maxPhotoBytes {
      problems.append("\(place) has \(photo.bytes.count) bytes, more than the \(maxPhotoBytes) of MAX_PHOTO_BYTES.")
    }
    guard let randomID = photo.randomID else { return }
    if !Photo.isID(randomID.utf8) {
      problems.append("\(place).random_id is not of \(Photo.idLength) letters from a to z and A to Z.")
    }
    if !randomIDs.insert(randomID).inserted {
      problems.append("\(place).random_id: another photo of the seed has the same.")
    }
  }

  /// Whether a client can send these letters so that the server reads the same, with or without quotation marks.
  private static func canBeSent(_ letters: String) -> Bool {
    let bytes = Array(letters.utf8)
    guard (1...RequestLimits.maxTokenBytes).contains(bytes.count), bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
      return false
    }
    // Spaces at the ends of a field are not part of it.
    let isBare = bytes.first != 0x20 && bytes.last != 0x20 && isRead(Array("Token token=".utf8) + bytes, as: bytes)
    return isBare || isRead(Array("Token token=\"".utf8) + bytes + [UInt8(ascii: "\"")], as: bytes)
  }

  private static func isRead(_ field: [UInt8], as letters: [UInt8]) -> Bool {
    guard case .token(let token)? = Authorization.parse(field[...]) else { return false }
    return token.elementsEqual(letters)
  }

  private mutating func check(text: String?, _ place: String) {
    if let text, let problem = TextCheck.column(text) { problems.append("\(place) \(problem).") }
  }

  private mutating func check(instant: Int64?, _ place: String) {
    if let instant, StateValidator.instants.contains(instant) { return }
    problems.append("\(place) is not from 1970 to 9999.")
  }
}

extension Application {
  /// From the minimum of signup to the maximum of reset_password.
  static let passwordBytes = signupPasswordBytes.lowerBound...PasswordHash.maxBytes
}
