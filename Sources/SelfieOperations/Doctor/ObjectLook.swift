import Cryptography
import Platform
import SelfieAPI

/// A look at the object of a photo.
struct ObjectLook: Sendable {
  let photo: Photo
  /// What is wrong with it; nil if nothing is.
  let finding: Finding?
  /// Whether all of its bytes were read.
  let isRead: Bool

  struct Finding: Sendable {
    let kind: StorageIssue.Kind
    let message: String
  }

  init(at photo: Photo, in objects: PhotoObjects, _ database: ApplicationDatabase, reads: Bool) async throws {
    self.photo = photo
    guard let byteCount = try await objects.size(photo.randomID) else {
      isRead = false
      // A deletion removes the row first. So a photo that still has a row has lost its object.
      let query = PhotoStore.owned(randomID: photo.randomID)
      let isDeleted = try await database.first(query, as: OwnedPhoto.self) == nil
      finding =
        isDeleted
        ? nil
        : Finding(kind: .missingFile, message: "its object is missing. Put it back from another copy of the bucket.")
      return
    }
    guard byteCount == photo.byteCount else {
      isRead = false
      finding = Finding(
        kind: .wrongSize,
        message: "its object has \(counted(byteCount, "byte")), and \(photo.byteCount) were uploaded. Put it back from "
          + "another copy of the bucket.")
      return
    }
    guard reads, let sha256 = photo.sha256 else {
      isRead = false
      finding = nil
      return
    }
    isRead = true
    finding =
      try await objects.digest(of: photo) == sha256
      ? nil
      : Finding(
        kind: .wrongDigest,
        message: "its bytes are not those that were uploaded. Put it back from another copy of the bucket.")
  }
}
