import HTTPMessages
package import Logging
package import Platform
package import SQL
package import SQLite

/// The photos: a row and a file, or an object, exist together or not at all, whenever the power fails. `PhotoBytes` has
/// the order of steps, and `PhotoStore` the queries.
package struct PhotoLibrary: Sendable {
  let store: PhotoStore
  package let bytes: any PhotoBytes
  /// The files of uploads under way; of all photos, unless their bytes are objects.
  package let files: PhotoFiles
  /// Waits for the disk.
  package let pool: WorkerPool
  /// Uploads and deletions share it, since each takes two steps; whatever replaces the whole store takes it exclusively.
  package let lock = AsyncReadWriteLock()
  let unfinished = UploadRoom.Unfinished([:])
  /// What the owner should know about the folders.
  package let warnings: [String]

  /// Makes the folders, and repairs what a crash left of uploads. ``purgeDeleted()`` does so for deletions.
  ///
  /// - Parameters:
  ///   - storage: the folder of everything that is stored.
  ///   - isDurable: whether files are synced to the disk.
  ///   - reserve: the database's; photos may not use it.
  ///   - pool: waits for the disk.
  ///   - background: does what no request waits for; `pool` if nil.
  package init(
    database: Database, storage: String, isDurable: Bool = true, reserve: DiskReserve? = nil, pool: WorkerPool,
    background: WorkerPool? = nil, logger: Logger
  ) throws {
    store = PhotoStore(database: .file(database))
    files = PhotoFiles(storage: storage, isDurable: isDurable, reserve: reserve)
    self.pool = pool
    bytes = FileBytes(files: files, rows: store, pool: pool, background: background ?? pool, logger: logger)
    let ignoresCase = try files.prepare()
    // What cannot be read is said by others, and no reason not to serve the rest.
    let newest = (try? database.read { try $0.all(PhotoStore.newestIDs, as: String.self) }) ?? []
    let isLost =
      try !newest.isEmpty && !newest.contains { [files] in try files.status($0) != nil || files.isIncoming($0) }
    warnings =
      (ignoresCase ? [Self.caseWarning(files.layout.photos)] : [])
      + (isLost ? [Self.lossWarning(files.layout.photos, newest.count)] : [])
    for warning in warnings { logger.warning("\(warning)") }
    let moved = try files.recoverUploads { spelling, ignoresCase in
      try database.read { try $0.uploadState(spelling, ignoringCase: ignoresCase) }
    }
    Self.log(moved, to: logger)
  }

  /// A library on objects. Makes the folder of the uploads under way, and removes what an earlier process left there.
  ///
  /// - Parameters:
  ///   - storage: the folder that the folder of uploads is in. No other process may use it.
  ///   - sweepAfter: the seconds after which nothing of an upload can be under way any more.
  ///   - pool: waits for the disk.
  package init(
    database: any SharedDatabase, objects: any PhotoObjects, storage: String, sweepAfter: Int, pool: WorkerPool,
    logger: Logger
  ) throws {
    store = PhotoStore(database: .shared(database))
    bytes = objects.bytes(of: database, sweepAfter: sweepAfter, logger: logger)
    // A file that its process loses is no loss: nothing was acknowledged.
    files = PhotoFiles(storage: storage, isDurable: false, keepsPhotos: false)
    self.pool = pool
    warnings = []
    try files.prepare()
    Self.log(try files.recoverUploads { _, _ in .unknown }, to: logger)
  }

  private static func caseWarning(_ photos: String) -> String {
    """
    The file system of \(photos) ignores the case of names. Photos are safe there, but other programs may show or copy \
    them under names of other spellings. Use a local Linux file system.
    """
  }

  private static func lossWarning(_ photos: String, _ count: Int) -> String {
    """
    \(photos) has none of the newest photos (\(count) were looked for). Is its disk mounted? If not, stop the server and \
    mount it: new photos are stored in the wrong place. If the photos are lost, restore a backup.
    """
  }

  private static func log(_ moved: [PhotoFiles.SetAside], to logger: Logger) {
    for file in moved {
      logger.warning(
        file.isPhoto
          ? """
          a photo in incoming/ has no row in the database; it was moved. Its app was not told that it is stored, unless \
          the database was replaced by an older one
          """ : "a file in incoming/ is not an upload of this server; it was moved",
        metadata: ["file": "\(file.path)", "place": "\(file.place)"])
    }
  }

  /// Whether there is a photo of this id; false also if the database cannot be read here and now.
  package func contains(_ id: some Collection<UInt8>) -> Bool {
    let id = String(decoding: id, as: UTF8.self)
    return (try? store.database.file?.read { try $0.exists(PhotoStore.photo(randomID: id)) }) == true
  }

  /// The quotas' room for an upload of a user; nil if there is no quota.
  func room(of userID: Int64, within limits: PhotoLimits) async throws -> UploadRoom? {
    try await store.byteCounts(of: userID, within: limits).map {
      UploadRoom(of: userID, within: limits, besides: $0, and: unfinished)
    }
  }

  // MARK: - Uploads

  /// - Parameter room: has counted the bytes; nil if there is no quota.
  func newUpload(id: String, room: UploadRoom? = nil) -> PhotoUpload {
    PhotoUpload(id: id, in: files, pool: pool, room: room)
  }

  /// Stores a photo whose bytes have arrived. Returns when bytes and row are stored for good.
  ///
  /// - Throws: `Refusal`. Like after other errors, the photo is discarded then.
  func add(
    _ upload: PhotoUpload, as photo: Photo, by token: Token, within limits: PhotoLimits, flow: Flow
  ) async throws {
    try await lock.withShared { try await bytes.store(upload, as: photo, by: token, within: limits, flow: flow) }
  }

  // MARK: - Deletions

  /// Deletes a photo; false if there is none. Once its row is deleted, the photo is served to nobody; if its bytes
  /// cannot be removed now, ``purgeDeleted()`` removes them later.
  ///
  /// - Parameter token: of the photo's user; nil for the owner, who may delete any photo.
  /// - Throws: `Refusal.tokenEnded` if the token is not live any more.
  package func delete(randomID id: String, as token: Token?) async throws -> Bool {
    try await lock.withShared {
      guard try await store.remove(randomID: id, as: token) else { return false }
      await bytes.remove(id)
      return true
    }
  }

  /// Removes the bytes of deleted photos that are still there, and forgets these photos. To be called from time to time.
  package func purgeDeleted() async throws {
    try await lock.withShared { try await bytes.purge() }
  }

  /// Sets aside again what deletions have used of the disk's reserve, if there is room.
  func renewReserve() async throws {
    guard let reserve = files.reserve, !reserve.isWhole else { return }
    try await pool.run { reserve.renew() }
  }
}
