import HTTPMessages
import Logging
import Platform
import SQLite

/// The photos: a row and a file exist together or not at all, whenever the power fails. `PhotoUpload` and
/// `PhotoDeletion` have the order of steps.
public struct PhotoLibrary: Sendable {
  let store: PhotoStore
  package let files: PhotoFiles
  /// Waits for the disk.
  package let pool: WorkerPool
  /// Uploads and deletions share it, since each takes two steps; whatever replaces the whole store takes it exclusively.
  package let lock = AsyncReadWriteLock()
  let background: WorkerPool
  /// The id of the last photo that `noteDigests` has looked at.
  let digested = Monitor<Int64>(0)
  let reserve: DiskReserve?
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
    self.pool = pool
    self.background = background ?? pool
    self.reserve = reserve
    self.logger = logger
    let store = store
    try files.prepare()
    try files.recoverUploads { try store.find(randomID: $0) != nil }
  }

  /// Whether there is a photo of this id; false also if the database cannot be read.
  package func contains(_ id: some Collection<UInt8>) -> Bool {
    (try? store.find(randomID: String(decoding: id, as: UTF8.self))) != nil
  }

  /// A photo's file and its size; nil if there is none.
  func open(_ id: String) throws(FileError) -> (file: OpenFile, byteCount: Int64)? {
    try files.open(id)
  }
}
