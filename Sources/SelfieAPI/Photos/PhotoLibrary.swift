import HTTPMessages
import Logging
import Platform
import SQL
import SQLite

/// The photos: a row and a file, or an object, exist together or not at all, whenever the power fails. `PhotoUpload` and
/// `PhotoDeletion` have the order of steps.
public struct PhotoLibrary: Sendable {
  let store: PhotoStore
  package let bytes: PhotoBytes
  /// The files of uploads under way; of all photos, unless their bytes are objects.
  package let files: PhotoFiles
  /// Waits for the disk.
  package let pool: WorkerPool
  /// Uploads and deletions share it, since each takes two steps; whatever replaces the whole store takes it exclusively.
  package let lock = AsyncReadWriteLock()
  let unfinished = UnfinishedUploads()
  let background: WorkerPool
  /// The id of the last photo that `noteDigests` has looked at.
  let digested = Monitor<Int64>(0)
  let reserve: DiskReserve?
  /// Seconds after which nothing of an upload into an object store can be under way any more.
  let sweepAfter: Int64
  /// How many objects are being deleted that no client waits for.
  let deletions = Monitor(0)
  /// Why objects could not be deleted, as it was logged last; nil if they could.
  let reportedFailure = Monitor<String?>(nil)
  let logger: Logger

  /// Makes the folders, and repairs what a crash left of uploads. ``purgeDeleted()`` does so for deletions.
  ///
  /// - Parameters:
  ///   - storage: the folder of everything that is stored.
  ///   - isDurable: whether files are synced to the disk.
  ///   - reserve: the database's; photos may not use it.
  ///   - pool: waits for the disk.
  ///   - background: does what no request waits for; `pool` if nil.
  public init(
    database: Database, storage: String, isDurable: Bool = true, reserve: DiskReserve? = nil, pool: WorkerPool,
    background: WorkerPool? = nil, logger: Logger
  ) throws {
    store = PhotoStore(database: .file(database))
    files = PhotoFiles(storage: storage, isDurable: isDurable, reserve: reserve)
    bytes = .files(files)
    self.pool = pool
    self.background = background ?? pool
    self.reserve = reserve
    sweepAfter = 0
    self.logger = logger
    let store = store
    try files.prepare()
    try files.recoverUploads { try store.find(randomID: $0) != nil }
  }

  /// A library on objects. Makes the folder of the uploads under way, and removes what an earlier process left there.
  ///
  /// - Parameters:
  ///   - storage: the folder that the folder of uploads is in. No other process may use it.
  ///   - sweepAfter: the seconds after which nothing of an upload can be under way any more.
  ///   - pool: waits for the disk.
  package init(
    database: any SharedDatabase, objects: PhotoObjects, storage: String, sweepAfter: Int, pool: WorkerPool,
    logger: Logger
  ) throws {
    store = PhotoStore(database: .shared(database))
    bytes = .objects(objects)
    // A file that its process loses is no loss: nothing was acknowledged.
    files = PhotoFiles(storage: storage, isDurable: false, keepsPhotos: false)
    self.pool = pool
    background = pool
    reserve = nil
    self.sweepAfter = Int64(sweepAfter)
    self.logger = logger
    try files.prepare()
    try files.recoverUploads { _ in false }
  }

  /// Whether there is a photo of this id; false also if the database cannot be read.
  package func contains(_ id: some Collection<UInt8>) -> Bool {
    (try? store.find(randomID: String(decoding: id, as: UTF8.self))) != nil
  }

  /// The quotas' room for an upload of a user; nil if there is no quota.
  func room(of userID: Int64, within limits: PhotoLimits) async throws -> UploadRoom? {
    try await store.byteCounts(of: userID, within: limits).map {
      UploadRoom(of: userID, within: limits, besides: $0, and: unfinished)
    }
  }

  /// A photo's file and its size; nil if there is none.
  func open(_ id: String) throws(FileError) -> (file: OpenFile, byteCount: Int64)? {
    try files.open(id)
  }
}
