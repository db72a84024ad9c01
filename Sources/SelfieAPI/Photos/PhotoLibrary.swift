import HTTPMessages
import Logging
import SQLite
import Platform

/// The photos: rows and files that exist together or not at all, whenever the power fails.
public struct PhotoLibrary: Sendable {
  let store: PhotoStore
  package let files: PhotoFiles
  package let lane: WorkerPool
  package let gate = ReplacementGate()
  private let background: WorkerPool
  /// The row up to which digests have been looked after.
  private let digested = Monitor<Int64>(0)
  private let logger: Logger

  /// Makes the folders, and puts right what a crash left of uploads. What it left of deletions is the work of
  /// ``collectRemoved()``.
  ///
  /// - Parameters:
  ///   - storage: the folder of everything that is kept.
  ///   - isDurable: whether files are synced to the disk.
  ///   - lane: where the disk is waited for.
  ///   - background: where work is done that nobody waits for; if nil, on the lane too.
  public init(
    database: Database, storage: String, isDurable: Bool = true, lane: WorkerPool, background: WorkerPool? = nil,
    logger: Logger
  ) throws {
    store = PhotoStore(database: database)
    files = PhotoFiles(storage: storage, isDurable: isDurable)
    self.lane = lane
    self.background = background ?? lane
    self.logger = logger
    let store = store
    try files.prepare()
    try files.recoverUploads { try store.find(randomID: $0) != nil }
  }

  /// Begins an upload.
  func receive(id: String) -> IncomingPhoto {
    IncomingPhoto(id: id, files: files, lane: lane)
  }

  /// Puts a photo that was received into its place and inserts its row. Returns when both are on the disk.
  ///
  /// - Parameter generation: the gate's, when the photo's user was looked up.
  func add(_ photo: Photo, _ incoming: IncomingPhoto, since generation: Int) async throws {
    try await gate.beside(since: generation) { try await add(photo, incoming) }
  }

  private func add(_ photo: Photo, _ incoming: IncomingPhoto) async throws {
    try await incoming.place()
    do {
      try await store.insert(photo)
    } catch {
      // Where the row may appear at the next start after all, that start decides about the file.
      let mayHaveRow = (error as? SQLiteError)?.mayBeCommitted ?? false
      if !mayHaveRow { try? await incoming.discard() }
      throw error
    }
    incoming.keep()
  }

  /// Deletes a photo of this user; false when there is none. Once its row is gone, so is the photo: a file that
  /// cannot be removed now is tried again by ``collectRemoved()``.
  func remove(randomID id: String, userID: Int64) async throws -> Bool {
    try await gate.beside { try await removeBeside(randomID: id, userID: userID) }
  }

  private func removeBeside(randomID id: String, userID: Int64) async throws -> Bool {
    guard try await store.remove(randomID: id, userID: userID) else { return false }
    let files = files
    do {
      try await lane.run { try files.remove(id) }
    } catch {
      logger.warning("the file of a deleted photo stays for now", metadata: ["error": "\(Self.loggable(error))"])
    }
    return true
  }

  /// A photo's file and its size; nil when there is none.
  func open(_ id: String) throws(FileError) -> (file: OpenFile, byteCount: Int64)? {
    try files.open(id)
  }

  /// Removes, for good, the files of deleted photos that are still there; to be called from time to time.
  package func collectRemoved() async throws {
    try await gate.beside { try await collectRemovedInGate() }
  }

  /// As ``collectRemoved()``, for who is in the gate.
  package func collectRemovedInGate() async throws {
    let files = files
    var last = ""
    while case let removed = try store.removed(after: last), let newest = removed.last {
      let (gone, failure) = try await lane.run { files.removeForGood(removed) }
      if let failure {
        logger.warning(
          "files of deleted photos stay for now",
          metadata: ["count": "\(removed.count - gone.count)", "error": "\(Self.loggable(failure))"])
      }
      try await store.forgetRemoved(gone)
      last = newest
    }
  }

  /// Computes the digests of photos that have come since the last time; to be called from time to time. No upload waits
  /// for its own: a megabyte takes as long to digest as to receive and to write.
  ///
  /// - Parameter all: also looks again at those whose files were not there, or not what was uploaded: of a storage that
  ///   has lost a folder these may be many.
  func noteDigests(ofAll all: Bool) async throws {
    // Ids begin anew when everything that is stored is replaced.
    let newest = try store.newestID()
    var last = all ? 0 : digested.withLock { min($0, newest) }
    let files = files
    while case let photos = try store.withoutDigest(after: last), let newest = photos.last, !Task.isCancelled {
      var digested: [Photo] = []
      for photo in photos {
        if let photo = try await background.run({ Self.withDigest(photo, files) }) { digested.append(photo) }
      }
      try await store.setDigests(of: digested)
      last = newest.id
    }
    let seen = last
    digested.withLock { $0 = max(min($0, newest), seen) }
  }

  /// Nil for a file that is not what was uploaded, or cannot be read: a digest would make it look sound.
  private static func withDigest(_ photo: Photo, _ files: PhotoFiles) -> Photo? {
    guard let status = try? files.status(photo.randomID), status.byteCount == photo.byteCount,
      let sha256 = try? files.digest(of: photo.randomID)
    else { return nil }
    var photo = photo
    photo.sha256 = sha256
    return photo
  }

  /// An error without the path, which ends in the photo's secret.
  private static func loggable(_ error: any Error) -> String {
    (error as? FileError)?.withoutPath ?? "\(error)"
  }
}
