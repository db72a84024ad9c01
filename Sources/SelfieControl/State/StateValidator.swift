import Cryptography
import SelfieAPI

/// Finds everything that is wrong with a document before anything is stored.
struct StateValidator {
  private let document: StateDocument
  private var problems: [String] = []
  private var userIDs: Set<Int64> = []

  /// The years from 1970 to 9999, in milliseconds.
  static let instants: ClosedRange<Int64> = 0...253_402_300_799_999

  init(_ document: StateDocument) {
    self.document = document
  }

  /// Throws `StateError` with all problems.
  func check() throws(StateError) {
    var check = self
    check.checkUsers()
    check.checkTokens()
    check.checkPhotos()
    guard check.problems.isEmpty else { throw StateError(.invalid, check.problems) }
  }

  private mutating func checkUsers() {
    var emails: Set<String> = []
    checkID(document.lastUserID, "last_user_id", from: 0)
    for (index, user) in document.users.enumerated() {
      let place = "users[\(index)]"
      checkID(user.id, "\(place).id")
      if !userIDs.insert(user.id).inserted { problems.append("\(place): another user has the id \(user.id), too.") }
      if let problem = TextCheck.email(user.email) { problems.append("\(place).email \(problem).") }
      if !emails.insert(user.email).inserted {
        problems.append("\(place): another user has the email \(user.email), too.")
      }
      check(text: user.firstName, "\(place).first_name")
      check(text: user.lastName, "\(place).last_name")
      if !PasswordHash.isHash(user.passwordHash) {
        problems.append("\(place).password_hash is no bcrypt hash. POST /__admin/seed takes plain passwords.")
      }
      check(instant: user.createdAt, "\(place).created_at")
      check(instant: user.updatedAt, "\(place).updated_at")
    }
  }

  private mutating func checkTokens() {
    var digests: Set<[UInt8]> = []
    for (index, token) in document.tokens.enumerated() {
      let place = "tokens[\(index)]"
      if token.digest.count != SHA256.byteCount {
        problems.append("\(place).digest is no SHA-256, which has \(SHA256.byteCount) bytes.")
      }
      if !digests.insert(token.digest).inserted { problems.append("\(place): another token has the same digest.") }
      checkOwner(token.userID, place)
      check(instant: token.createdAt, "\(place).created_at")
    }
  }

  private mutating func checkPhotos() {
    var (ids, randomIDs): (Set<Int64>, Set<String>) = ([], [])
    checkID(document.lastPhotoID, "last_photo_id", from: 0)
    for (index, photo) in document.photos.enumerated() {
      let place = "photos[\(index)]"
      checkID(photo.id, "\(place).id")
      if let id = photo.id, !ids.insert(id).inserted {
        problems.append("\(place): another photo has the id \(id), too.")
      }
      if !Photo.isID(photo.randomID.utf8) {
        problems.append("\(place).random_id is not of \(Photo.idLength) letters from a to z and A to Z.")
      }
      if !randomIDs.insert(photo.randomID).inserted {
        problems.append("\(place): another photo has the random_id \(photo.randomID), too.")
      }
      checkOwner(photo.userID, place)
      check(text: photo.name, "\(place).name")
      check(text: photo.title, "\(place).title")
      if let type = photo.contentType, !ContentType(name: type).isOfPhotos {
        problems.append("\(place).content_type is none that the server finds in photos; without it, it looks.")
      }
      check(instant: photo.createdAt, "\(place).created_at")
      check(instant: photo.updatedAt, "\(place).updated_at")
    }
  }

  private mutating func checkID(_ id: Int64?, _ place: String, from least: Int64 = 1) {
    guard let id, !(least...RequestLimits.maxKeptID).contains(id) else { return }
    problems.append("\(place) is not from \(least) to \(RequestLimits.maxKeptID).")
  }

  private mutating func checkOwner(_ userID: Int64, _ place: String) {
    if !userIDs.contains(userID) { problems.append("\(place).user_id is \(userID), and there is no such user.") }
  }

  private mutating func check(text: String?, _ place: String) {
    if let text, let problem = TextCheck.column(text) { problems.append("\(place) \(problem).") }
  }

  private mutating func check(instant: Int64?, _ place: String) {
    if let instant, !Self.instants.contains(instant) { problems.append("\(place) is not from 1970 to 9999.") }
  }
}

/// The rules of the API's endpoints for texts.
enum TextCheck {
  /// Why a text cannot be a user's email; nil if it can.
  static func email(_ text: String) -> String? {
    column(text) ?? (Validation.isEmail(text) ? nil : "is invalid: signup would not take \"\(text)\" either")
  }

  /// Why a text cannot be stored in a column; nil if it can.
  static func column(_ text: String) -> String? {
    if text.utf8.contains(0) { return "contains a NUL character" }
    let isLong = text.unicodeScalars.count > Validation.mostCharacters
    return isLong ? "has more than \(Validation.mostCharacters) characters" : nil
  }
}

extension ContentType {
  /// Whether the server can give this type to a photo.
  var isOfPhotos: Bool {
    guard isImage else { return self == .unknown }
    // No type of a photo has a plus sign. `image/svg+xml` could contain scripts.
    let subtype = name.utf8.dropFirst("image/".utf8.count)
    return !subtype.isEmpty && subtype.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
  }
}
