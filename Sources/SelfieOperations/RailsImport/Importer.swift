import Cryptography
import HTTPMessages
import Platform
import SQL
import SQLite
import SelfieAPI

/// Imports from the Rails original: users with their passwords and tokens, and photos with their addresses, so that
/// apps stay signed in and find their photos.
///
/// Nobody else may use the storage meanwhile.
public struct Importer: Sendable {
  private let dump: RailsDump
  let bucket: BucketFolder
  let database: ApplicationDatabase
  /// Nil where the photos' bytes are objects.
  private let files: PhotoFiles?
  let pool: WorkerPool
  private let maxPhotoBytes: Int
  private let now: Int64

  /// How many photos are copied at the same time, so that the disk can sync them together.
  static let copiesAtOnce = 8

  /// - Parameters:
  ///   - photos: the folder of the photos' files, each named by its random_id.
  ///   - storage: the folder with the database and the photos.
  ///   - database: the one in `storage`. To plan, a copy of it is enough.
  ///   - pool: waits for the disk.
  ///   - now: in Unix milliseconds.
  public init(
    dump: RailsDump, photos: String, storage: String, database: Database, pool: WorkerPool, maxPhotoBytes: Int,
    now: Int64
  ) {
    self.init(
      dump: dump, photos: photos, database: .file(database), files: PhotoFiles(storage: storage), pool: pool,
      maxPhotoBytes: maxPhotoBytes, now: now)
  }

  /// - Parameters:
  ///   - files: of the photos in the database; nil where their bytes are objects.
  package init(
    dump: RailsDump, photos: String, database: ApplicationDatabase, files: PhotoFiles?, pool: WorkerPool,
    maxPhotoBytes: Int, now: Int64
  ) {
    self.dump = dump
    bucket = BucketFolder(folder: photos)
    self.database = database
    self.files = files
    self.pool = pool
    self.maxPhotoBytes = maxPhotoBytes
    self.now = now
  }

  /// Decides what to import. Changes nothing.
  public func plan() async throws -> ImportPlan {
    var planner = ImportPlanner(
      dump: dump, bucket: bucket, database: database, files: files, maxPhotoBytes: maxPhotoBytes, now: now)
    return try await planner.make()
  }

  /// Imports what the plan says: first the photos' files, then all rows in one transaction. If it is interrupted, the
  /// storage has either everything or, after its next start, nothing of it.
  ///
  /// - Parameters:
  ///   - photos: of the same storage.
  ///   - progress: called with the numbers of photos and bytes that were copied so far.
  public func carryOut(
    _ plan: ImportPlan, into photos: PhotoLibrary, progress: (_ photos: Int, _ bytes: Int64) -> Void
  ) async throws {
    guard !plan.isEmpty else { return }
    let free = try FileSystem.freeBytes(at: photos.files.layout.folder)
    guard plan.byteCount <= free else { throw NoRoomForPhotos(needed: plan.byteCount, free: free) }
    try await photos.purgeDeleted()
    let files = photos.files
    let copied = try await copyPhotos(
      of: plan, by: { [pool, bucket] photo in try await pool.run { try files.placeCopy(of: photo, from: bucket) } },
      progress: progress)
    try await database.write(about: .all) { try Self.insert(plan, copied, by: $0) }
    try await pool.run {
      // If this fails, the next start does it.
      for id in copied.keys { try? files.removeIncoming(id) }
    }
  }

  /// Copies the photos of a plan, several at once.
  ///
  /// - Parameter copy: returns the photo with the size, type and digest of its file.
  /// - Returns: what `copy` does, by random_id.
  func copyPhotos(
    of plan: ImportPlan, by copy: @escaping @Sendable (Photo) async throws -> Photo,
    progress: (_ photos: Int, _ bytes: Int64) -> Void
  ) async throws -> [String: Photo] {
    var rest = plan.newPhotos[...]
    var copied: [String: Photo] = [:]
    var bytes: Int64 = 0
    try await withThrowingTaskGroup(of: Photo.self) { group in
      func addNext() {
        guard let photo = rest.popFirst()?.photo else { return }
        group.addTask { try await copy(photo) }
      }
      for _ in 0..<Self.copiesAtOnce { addNext() }
      while let photo = try await group.next() {
        copied[photo.randomID] = photo
        bytes &+= photo.byteCount
        progress(copied.count, bytes)
        addNext()
      }
    }
    return copied
  }

  static func insert(_ plan: ImportPlan, _ copied: [String: Photo], by tx: any Transaction) throws {
    var ids: [Int64: Int64] = [:]
    // Rows that keep their ids come first, so that no new id takes one of theirs.
    for new in plan.newUsers.filter({ $0.user.id != 0 }) + plan.newUsers.filter({ $0.user.id == 0 }) {
      ids[new.railsID] = try tx.insert(new.user)
    }
    func id(of owner: ImportPlan.Owner) throws -> Int64 {
      switch owner {
      case .existing(let id): return id
      case .new(let railsID):
        guard let id = ids[railsID] else { throw InconsistentImport() }
        return id
      }
    }
    for (owner, var token) in plan.newTokens {
      token.userID = try id(of: owner)
      try tx.insert(token)
    }
    for (userID, updatedAt) in plan.updates {
      try tx.run(UserStore.settingUpdatedAt(updatedAt, of: userID))
    }
    let photos = try plan.newPhotos.map { owner, photo in
      guard var photo = copied[photo.randomID] else { throw InconsistentImport() }
      photo.userID = try id(of: owner)
      return photo
    }
    try tx.insert(photos)
  }
}

extension ImportPlan {
  /// Whether there is nothing to write.
  var isEmpty: Bool { newUsers.isEmpty && newTokens.isEmpty && newPhotos.isEmpty && updates.isEmpty }
}

extension PhotoFiles {
  /// Copies a file to the place of a photo that has no row yet. After that its row may be inserted.
  ///
  /// - Returns: the photo, with the size, type and digest of the file.
  func placeCopy(of photo: Photo, from bucket: BucketFolder) throws -> Photo {
    let id = photo.randomID
    let original: PlainFile
    do {
      original = try bucket.find(id)
    } catch {
      throw PhotoGone(why: error.reason)
    }
    // A file without a row is unused, so it may be replaced.
    try discard(id)
    var partial: Partial?
    var digest = SHA256()
    var beginning: [UInt8] = []
    var byteCount: Int64 = 0
    try FileSystem.forEachChunk(of: original.file, path: original.path) { bytes in
      partial = try write([bytes[...]], of: id, to: partial)
      digest.update(bytes)
      if byteCount == 0 { beginning = Array(bytes.prefix(ContentType.neededBytes)) }
      byteCount += Int64(bytes.count)
    }
    guard let partial else { throw PhotoGone(why: "\(original.path) is empty") }
    try publish(partial, as: id)
    var photo = photo
    photo.byteCount = byteCount
    photo.contentType = ContentType(beginning: beginning).name
    photo.sha256 = digest.finish()
    return photo
  }
}

/// The disk has too little room for the photos.
struct NoRoomForPhotos: Error, CustomStringConvertible {
  let needed: Int64
  let free: Int64

  var description: String {
    "the photos have \(needed) bytes, and the disk has room for \(free). Nothing was imported."
  }
}

/// A photo's file was removed after the import was planned.
struct PhotoGone: Error, CustomStringConvertible {
  let why: String

  var description: String { "\(why) any more: somebody else is changing the folder. Nothing was imported." }
}

/// The plan refers to a user or a file that is not in it, which would be a bug.
struct InconsistentImport: Error {}
