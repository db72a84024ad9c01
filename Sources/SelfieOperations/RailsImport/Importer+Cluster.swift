import Cryptography
import Platform
import SQL
import SelfieAPI

extension Importer {
  /// Imports into a cluster what the plan says: first the photos' objects, then all rows in one transaction. If it is
  /// interrupted, the cluster has either everything or nothing of it, and objects that its servers delete in time.
  ///
  /// - Parameter progress: called with the numbers of photos and bytes that were stored so far.
  package func carryOut(
    _ plan: ImportPlan, into cluster: any SharedDatabase, _ objects: any PhotoObjects,
    progress: (_ photos: Int, _ bytes: Int64) -> Void
  ) async throws {
    guard !plan.isEmpty else { return }
    try await cluster.requireNoOtherProcess()
    let ids = plan.newPhotos.map(\.photo.randomID)
    if !ids.isEmpty { try await database.write(about: .all) { try $0.noteUploads(ids) } }
    let copied = try await copyPhotos(
      of: plan, by: { [self] photo in try await store(photo, in: objects) }, progress: progress)
    // PostgreSQL does not count the ids that rows bring along.
    try await database.raiseLastRowID(to: plan.newUsers.map(\.user.id).max() ?? 0, of: "users")
    try await database.raiseLastRowID(to: plan.newPhotos.map(\.photo.id).max() ?? 0, of: "photos")
    try await database.write(about: .all) { tx in
      try Self.insert(plan, copied, by: tx)
      try tx.forgetUploads(ids)
    }
  }

  private func store(_ photo: Photo, in objects: any PhotoObjects) async throws -> Photo {
    let read = try await pool.run { [bucket] in try bucket.read(photo) }
    guard let sha256 = read.photo.sha256 else { throw InconsistentImport() }
    _ = try await objects.put(
      photo.randomID, read.file, byteCount: read.photo.byteCount, sha256: sha256, turn: Turn())
    return read.photo
  }
}

extension BucketFolder {
  /// The file of a photo, and the photo with the size, type and digest of the file.
  fileprivate func read(_ photo: Photo) throws -> (file: OpenFile, photo: Photo) {
    let original: PlainFile
    do {
      original = try find(photo.randomID)
    } catch {
      throw PhotoGone(why: error.reason)
    }
    let beginning = try FileSystem.read(original.file, at: 0, ContentType.neededBytes, path: original.path)
    var photo = photo
    photo.byteCount = original.byteCount
    photo.contentType = ContentType(beginning: beginning).name
    photo.sha256 = try SHA256.digest(of: original.file, path: original.path)
    return (original.file, photo)
  }
}
