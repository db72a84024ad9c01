import Cryptography
import HTTPMessages
package import SelfieAPI

/// A photo, as the owner's page and commands show one. `UserView` has its user.
package struct PhotoView: Codable, Equatable, Sendable {
  package let id: Int64
  package let randomID: String
  /// Of its user.
  package let email: String
  package let userID: Int64
  package let name: String?
  package let title: String
  package let byteCount: Int64
  package let contentType: String
  /// In hexadecimal digits; nil for a photo whose bytes were not read yet.
  package let sha256: String?
  package let createdAt: String
  package let updatedAt: String

  package init(_ owned: Owned<Photo>) {
    let photo = owned.record
    (id, randomID, email, userID) = (photo.id, photo.randomID, owned.email ?? "", photo.userID)
    (name, title) = (photo.name, photo.title)
    (byteCount, contentType, sha256) = (photo.byteCount, photo.contentType, photo.sha256.map { Digest.hex($0) })
    createdAt = Timestamp.text(unixMilliseconds: photo.createdAt)
    updatedAt = Timestamp.text(unixMilliseconds: photo.updatedAt)
  }

  private enum CodingKeys: String, CodingKey {
    case id
    case randomID = "random_id"
    case email
    case userID = "user_id"
    case name, title
    case byteCount = "byte_count"
    case contentType = "content_type"
    case sha256
    case createdAt = "created_at"
    case updatedAt = "updated_at"
  }
}
