import Cryptography
import Platform
import SQL
package import SQLite
package import SelfieAPI

/// Imports from the Rails original: users with their passwords and tokens, and photos with their addresses, so that
/// apps stay signed in and find their photos. The storage must be empty. `ImportPlan` decides about each row.
///
/// No other process may use the storage meanwhile.
package struct Importer: Sendable {
  let dump: RailsDump
  /// The folder with a copy of the bucket: a file for each photo, named by its random_id.
  let bucket: String
  let maxPhotoBytes: Int
  let now: Int64

  /// How many photos are copied at the same time, so that the disk can sync them together.
  private static let copiesAtOnce = 8

  /// - Parameters:
  ///   - photos: the folder of the photos' files, each named by its random_id.
  ///   - now: in Unix milliseconds.
  package init(dump: RailsDump, photos: String, maxPhotoBytes: Int, now: Int64) {
    self.dump = dump
    bucket = photos
    self.maxPhotoBytes = maxPhotoBytes
    self.now = now
  }

  /// Receives how far the import has come.
  package typealias Report = @Sendable (Progress) -> Void

  /// Where an import is carried out.
  package enum Target: Sendable {
    case folder(Database, PhotoLibrary)
    case cluster(ClusterStorage)

    fileprivate var database: ApplicationDatabase {
      switch self {
      case .folder(let database, _): .file(database)
      case .cluster(let cluster): .shared(cluster.database)
      }
    }

    fileprivate var files: PhotoFiles? { if case .folder(_, let library) = self { library.files } else { nil } }
  }

  /// - Parameter count: the number of users who are there already.
  /// - Throws: `OperationError` if there are any.
  package static func requireNoUsers(_ count: Int64) throws {
    guard count > 0 else { return }
    throw OperationError(
      """
      The storage has \(counted(count, "user")) already, and an import needs an empty one. Set STORAGE_DIR to an empty \
      folder or, in a cluster, DATABASE_URL to an empty database.
      """)
  }

  /// Decides what to import. Changes nothing.
  package func plan(report: @escaping Report = { _ in }) throws -> ImportPlan { try ImportPlan(of: self, report) }

  /// Decides what to import into an empty storage, and imports that: first the photos' files or objects, then all rows in
  /// one transaction. If it is interrupted, the target has either everything or nothing of it: a storage after its next
  /// start, and a cluster once its servers have deleted objects without rows.
  ///
  /// - Parameter writes: false to change nothing.
  package func run(into target: Target, writes: Bool = true, report: @escaping Report = { _ in }) async throws
    -> ImportPlan
  {
    try Self.requireNoUsers(await target.database.number(UserStore.count))
    let plan = try plan(report: report)
    if writes { try await carryOut(plan, into: target, report: report) }
    return plan
  }

  private func carryOut(_ plan: ImportPlan, into target: Target, report: Report) async throws {
    let database = target.database
    switch target {
    case .folder(_, let library):
      try OperationError.checkRoom(plan.byteCount, at: library.files.layout.folder, for: "the photos")
      try await library.purgeDeleted()
    case .cluster(let cluster): try await cluster.database.requireNoOtherProcess()
    }
    let pool = WorkerPool(name: "import", threads: Self.copiesAtOnce, waiting: Self.copiesAtOnce * 2)
    defer { pool.shutDown() }
    let ids = plan.newPhotos.map(\.randomID)
    try await database.noteCopies(of: ids)
    var (count, bytes) = (0, Int64(0))
    let copied = try await plan.newPhotos.mapConcurrently(atOnce: Self.copiesAtOnce) { photo in
      try await copy(photo, into: target, pool)
    } each: { photo in
      count += 1
      bytes &+= photo.byteCount
      report(Progress("Copying", count, of: ids.count, "photo", bytes: bytes))
    }
    if case .cluster = target {
      // PostgreSQL does not count the ids that rows bring along.
      try await database.raiseLastRowID(to: plan.newUsers.map(\.id).max() ?? 0, of: "users")
      try await database.raiseLastRowID(to: copied.map(\.id).max() ?? 0, of: "photos")
    }
    try await database.insert(copiesOf: ids, in: target.files) { tx in
      for user in plan.newUsers { try tx.insert(user) }
      for token in plan.newTokens { try tx.insert(token) }
      try tx.insert(copied)
    }
  }

  /// Returns the photo with the size, type and digest of its file.
  ///
  /// - Parameter pool: waits for the disk.
  private func copy(_ photo: Photo, into target: Target, _ pool: WorkerPool) async throws -> Photo {
    let original: PlainFile
    do throws(FileError) { original = try PlainFile(ofPhoto: photo.randomID, in: bucket) } catch {
      throw Self.changed("\(error.path) cannot be read: \(error.reason)")
    }
    guard original.byteCount > 0 else { throw Self.changed("\(original.path) is empty") }
    switch target {
    case .folder(_, let library): return try await pool.run { try library.files.place(photo, copiedFrom: original) }
    case .cluster(let cluster):
      let photo = try await pool.run { try photo.described(by: original) }
      _ = try await cluster.objects.put(
        photo.randomID, original.file, byteCount: photo.byteCount, sha256: photo.sha256 ?? [], flow: Flow())
      return photo
    }
  }

  private static func changed(_ problem: String) -> OperationError {
    OperationError("\(problem). The folder has changed meanwhile. Nothing was imported.")
  }
}

extension PlainFile {
  /// A photo in a copy of the bucket.
  ///
  /// - Parameter id: of a photo, and so a safe name.
  init(ofPhoto id: String, in bucket: String) throws(FileError) { try self.init(path: "\(bucket)/\(id)") }
}

extension Photo {
  /// The photo with the size, type and digest of a file.
  ///
  /// - Parameter copy: receives each chunk of the file, which is read once.
  fileprivate func described(by original: PlainFile, copy: ([UInt8]) throws -> Void = { _ in }) throws -> Photo {
    let digest = SHA256()
    var (photo, beginning) = (self, [UInt8]())
    photo.byteCount = 0
    try FileSystem.forEachChunk(of: original.file, path: original.path) { bytes in
      try copy(bytes)
      digest.update(bytes)
      if photo.byteCount == 0 { beginning = Array(bytes.prefix(ContentType.neededBytes)) }
      photo.byteCount += Int64(bytes.count)
    }
    photo.contentType = ContentType(beginning: beginning).name
    photo.sha256 = digest.finish()
    return photo
  }
}

extension PhotoFiles {
  /// Copies a file to the place of a photo that has no row yet. After that its row may be inserted.
  ///
  /// - Returns: the photo, with the size, type and digest of the file.
  func place(_ photo: Photo, copiedFrom original: PlainFile) throws -> Photo {
    // A file without a row is unused, so it may be replaced.
    try discard(photo.randomID)
    var partial: Partial?
    let photo = try photo.described(by: original) {
      partial = try write([$0[...]], of: photo.randomID, to: partial)
    }
    guard let partial else { throw OperationError("\(original.path) is empty.") }
    try publish(partial, as: photo.randomID)
    return photo
  }
}
