import Cryptography
import Platform
import SelfieAPI

/// Finds everything that is wrong with a document before anything is stored.
struct StateValidator {
  let document: StateDocument
  var records = RecordValidator()
  private(set) var userIDs: Set<Int64> = []

  init(_ document: StateDocument) {
    self.document = document
  }

  /// Throws `StateError` with all problems.
  func check() throws(StateError) {
    var validator = self
    validator.checkUsers()
    validator.checkTokens()
    validator.checkPhotos()
    validator.checkNotes()
    validator.checkMicroblog()
    try validator.records.finish()
  }

  private mutating func checkUsers() {
    var emails: Set<ExactText> = []
    records.check(id: document.lastUserID, "last_user_id", from: 0)
    for (index, user) in document.users.enumerated() {
      let place = "users[\(index)]"
      records.check(id: user.id, "\(place).id")
      records.check(user.id, isNewIn: &userIDs, place, "user", "id")
      records.check(email: user.email, "\(place).email")
      records.check(ExactText(user.email), isNewIn: &emails, place, "user", "email")
      records.check(text: user.firstName, "\(place).first_name")
      records.check(text: user.lastName, "\(place).last_name")
      if !PasswordHash.isHash(user.passwordHash) {
        records.add("\(place).password_hash is no bcrypt hash. POST /__admin/seed takes plain passwords.")
      }
      records.check(instant: user.createdAt, "\(place).created_at")
      records.check(instant: user.updatedAt, "\(place).updated_at")
      records.check(instant: user.disabledAt, "\(place).disabled_at")
    }
  }

  private mutating func checkTokens() {
    var digests: Set<[UInt8]> = []
    for (list, isRetired) in [("tokens", false), ("retired_tokens", true)] {
      for (index, token) in document.tokens.filter({ $0.isRetired == isRetired }).enumerated() {
        let place = "\(list)[\(index)]"
        records.check(digest: token.digest, isNewIn: &digests, place, "token")
        records.check(owner: token.userID, isIn: userIDs, place)
        records.check(instant: token.createdAt, "\(place).created_at")
        records.check(instant: token.refreshedAt, "\(place).refreshed_at")
        if !token.family.isEmpty { records.check(digest: token.family, "\(place).family") }
      }
    }
  }

  private mutating func checkPhotos() {
    var (ids, randomIDs): (Set<Int64>, Set<String>) = ([], [])
    records.check(id: document.lastPhotoID, "last_photo_id", from: 0)
    for (index, photo) in document.photos.enumerated() {
      let place = "photos[\(index)]"
      records.check(id: photo.id, "\(place).id")
      records.check(photo.id, isNewIn: &ids, place, "photo", "id")
      records.check(randomID: photo.randomID, "\(place).random_id")
      records.check(photo.randomID, isNewIn: &randomIDs, place, "photo", "random_id")
      records.check(owner: photo.userID, isIn: userIDs, place)
      records.check(text: photo.name, "\(place).name")
      records.check(text: photo.title, "\(place).title")
      if let type = photo.contentType, !ContentType(name: type).isOfPhotos {
        records.add("\(place).content_type is none that the server finds in photos; without it, it looks.")
      }
      records.check(instant: photo.createdAt, "\(place).created_at")
      records.check(instant: photo.updatedAt, "\(place).updated_at")
    }
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
