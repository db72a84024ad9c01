import Cryptography
import HTTPMessages
import Platform
import SelfieAPI

/// Finds everything that is wrong with a seed before anything is stored.
struct SeedValidator {
  private let seed: Seed
  private let maxPhotoBytes: Int
  private let now: Int64
  var records = RecordValidator()
  private var emails: Set<ExactText> = []
  private var tokens: Set<ExactText> = []
  private var randomIDs: Set<String> = []
  /// Of users of the Microblog app.
  var names: Set<ExactText> = []
  var cookies: Set<String> = []
  var uuids: Set<ExactText> = []

  /// Every distinct password is hashed, which takes a millisecond at the lowest cost, and minutes for all at the usual
  /// one.
  static let maxUsers = 10_000
  /// All uploads wait for the seconds in which the files and rows are made.
  static let maxPhotos = 50_000
  /// Notes and posts. All other writes wait for the second in which their rows are made.
  static let maxTexts = 100_000

  /// - Parameter now: unix milliseconds.
  init(_ seed: Seed, maxPhotoBytes: Int, now: Int64) {
    self.seed = seed
    self.now = now
    self.maxPhotoBytes = maxPhotoBytes
  }

  /// Throws `StateError` with all problems.
  func check() throws(StateError) {
    var validator = self
    let userCount = seed.users.count + seed.microblogUsers.count
    guard userCount <= Self.maxUsers else {
      throw StateError(.invalid, "A seed has at most \(Self.maxUsers) users, not \(userCount).")
    }
    let photoCount = seed.users.reduce(0) { $0 + $1.photos.count }
    guard photoCount <= Self.maxPhotos else {
      throw StateError(.invalid, "A seed has at most \(Self.maxPhotos) photos, not \(photoCount).")
    }
    let textCount =
      seed.users.reduce(0) { $0 + $1.notes.count } + seed.microblogUsers.reduce(0) { $0 + $1.blogposts.count }
    guard textCount <= Self.maxTexts else {
      throw StateError(.invalid, "A seed has at most \(Self.maxTexts) notes and posts, not \(textCount).")
    }
    for (index, user) in seed.users.enumerated() { validator.check(user, "users[\(index)]") }
    for (index, user) in seed.microblogUsers.enumerated() { validator.check(user, "microblog.users[\(index)]") }
    try validator.records.finish()
  }

  private mutating func check(_ user: Seed.User, _ place: String) {
    records.check(email: user.email, "\(place).email")
    if !emails.insert(ExactText(user.email)).inserted {
      records.add("\(place).email: another user of the seed has \(user.email), too.")
    }
    let passwordBytes = user.password.utf8.count
    if !Application.passwordBytes.contains(passwordBytes) {
      records.add(
        """
        \(place).password has \(passwordBytes) bytes; a password has \(Application.passwordBytes.lowerBound) to \
        \(Application.passwordBytes.upperBound).
        """)
    }
    records.check(text: user.firstName, "\(place).first_name")
    records.check(text: user.lastName, "\(place).last_name")
    records.check(instant: user.createdAt, "\(place).created_at")
    if user.tokens.count > Int(TokenStore.maxPerUser) {
      records.add("\(place).tokens: a user has at most \(TokenStore.maxPerUser) tokens, not \(user.tokens.count).")
    }
    for (index, token) in user.tokens.enumerated() { check(token, "\(place).tokens[\(index)]") }
    for (index, photo) in user.photos.enumerated() { check(photo, "\(place).photos[\(index)]") }
    check(user.notes, "\(place).notes")
  }

  private mutating func check(_ token: Seed.Token, _ place: String) {
    switch token.expiry {
    case .lifetime: break
    case .at(let instant): records.check(instant: instant, "\(place).expires_at")
    case .after(let milliseconds):
      let (instant, isTooFar) = now.addingReportingOverflow(milliseconds)
      records.check(instant: isTooFar ? .max : instant, "\(place).expires_in")
    }
    guard let letters = token.letters else { return }
    if !Self.canBeSent(letters) {
      records.add(
        """
        \(place): no client could send this token in `Authorization: Token token=…`. It is a text of 1 to \
        \(RequestLimits.maxTokenBytes) bytes without control characters, and without a quotation mark before a comma or semicolon.
        """)
    }
    if !tokens.insert(ExactText(letters)).inserted { records.add("\(place): another token of the seed is the same.") }
  }

  private mutating func check(_ photo: Seed.Photo, _ place: String) {
    records.check(text: photo.title, "\(place).title")
    records.check(text: photo.name, "\(place).name")
    records.check(instant: photo.createdAt, "\(place).created_at")
    if photo.bytes.count > maxPhotoBytes {
      records.add("\(place) has \(photo.bytes.count) bytes, more than the \(maxPhotoBytes) of MAX_PHOTO_BYTES.")
    }
    guard let randomID = photo.randomID else { return }
    records.check(randomID: randomID, "\(place).random_id")
    if !randomIDs.insert(randomID).inserted {
      records.add("\(place).random_id: another photo of the seed has the same.")
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
}

extension Application {
  /// From the minimum of signup to the maximum of reset_password.
  static let passwordBytes = signupPasswordBytes.lowerBound...PasswordHash.maxBytes
}
