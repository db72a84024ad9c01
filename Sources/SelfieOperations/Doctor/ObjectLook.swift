import Platform
import SelfieAPI

/// A look at the object of a photo.
struct ObjectLook: Sendable {
  let photo: Photo
  /// What is wrong with it; nil if nothing is.
  private(set) var finding: Finding?
  /// Whether all of its bytes were read.
  private(set) var isRead = false
  /// The photo with the digest that its row lacks; nil if it has one, or if none was asked for.
  private(set) var digested: Photo?

  struct Finding: Sendable {
    let kind: StorageIssue.Kind
    let message: String
  }

  private static let remedy = "Put it back from another copy of the bucket."

  /// - Parameters:
  ///   - reads: whether its bytes are compared with its digest.
  ///   - notesDigest: whether the digest is computed if the row has none.
  init(
    at photo: Photo, in objects: any PhotoObjects, _ database: ApplicationDatabase, reads: Bool, notesDigest: Bool
  ) async throws {
    self.photo = photo
    guard let byteCount = try await objects.size(photo.randomID) else {
      finding = try await Self.missing(photo, database)
      return
    }
    guard byteCount == photo.byteCount else {
      finding = Finding(
        kind: .wrongSize,
        message: "its object has \(counted(byteCount, "byte")), and \(photo.byteCount) were uploaded. \(Self.remedy)")
      return
    }
    guard photo.sha256 == nil ? notesDigest : reads else { return }
    let sha256: [UInt8]
    do {
      sha256 = try await objects.digest(of: photo)
    } catch let error as PhotoObjectsError where error.kind == .missing {
      finding = try await Self.missing(photo, database)
      return
    }
    isRead = true
    if photo.sha256 == nil {
      digested = photo
      digested?.sha256 = sha256
    } else if sha256 != photo.sha256 {
      finding = Finding(
        kind: .wrongDigest, message: "its bytes are not those that were uploaded. \(Self.remedy)")
    }
  }

  /// A deletion removes the row first. So a photo that still has a row has lost its object.
  private static func missing(_ photo: Photo, _ database: ApplicationDatabase) async throws -> Finding? {
    let owned = try await database.first(PhotoStore.owned(randomID: photo.randomID), as: OwnedPhoto.self)
    return owned.map { _ in Finding(kind: .missingFile, message: "its object is missing. \(remedy)") }
  }
}
