import HTTPMessages
import Platform

/// The file of an upload, from its first byte until the photo has a row. `PhotoBytes` has the order of steps,
/// `PhotoFiles` the folders, and `ObjectBytes` sends the file to an object store.
///
/// Bytes are gathered in memory and written a chunk at a time, in the pool that may wait for the disk. Nothing remains
/// of an upload that is not stored.
package final class PhotoUpload {
  /// More would take more memory for many uploads than it saves time; less would switch threads more often.
  private static let chunkBytes = 192 * 1024
  /// A slice takes about a hundred bytes besides its own, and a client may send single bytes.
  private static let minSliceBytes = 4 * 1024
  /// A photo up to this size may be held as a whole, so that one thread switch suffices to store it.
  static let maxHeldBytes = 1024 * 1024

  private enum State {
    /// There is no file yet.
    case inMemory
    /// There may be a file in `incoming/`; nil until its creation has succeeded.
    case partial(PhotoFiles.Partial?)
    /// The file is in its place or not needed any more, or else the next start removes what could not be removed.
    case stored
  }

  let id: String
  private let files: PhotoFiles
  private let pool: WorkerPool
  /// Is released before the photo gets its row, so that no other upload counts its bytes twice.
  let room: UploadRoom?
  private var state = State.inMemory
  /// The slices that the parser gave, so that only the system copies their bytes. Short ones are joined.
  private var unwritten: [ArraySlice<UInt8>] = []
  private(set) var unwrittenBytes = 0
  /// The first bytes of the file, which tell its type.
  private var beginning: [UInt8] = []
  private(set) var byteCount = 0

  /// - Parameters:
  ///   - pool: waits for the disk.
  ///   - room: has counted the bytes; nil if there is no quota.
  init(id: String, in files: PhotoFiles, pool: WorkerPool, room: UploadRoom? = nil) {
    self.id = id
    self.files = files
    self.pool = pool
    self.room = room
  }

  deinit {
    // Quick enough to block for. There is no caller to report an error to; the next start removes the file then.
    if case .partial = state { try? files.removeIncoming(id) }
  }

  var contentType: ContentType { ContentType(beginning: beginning) }

  /// Step 1: the bytes are written to a new file, `incoming/<id>`.
  ///
  /// - Parameter isHeld: whether `publish` or `finishFile` may write them, if there are few enough.
  func append(_ bytes: ArraySlice<UInt8>, isHeld: Bool = false) async throws {
    if beginning.count < ContentType.neededBytes {
      beginning += bytes.prefix(ContentType.neededBytes - beginning.count)
    }
    byteCount += bytes.count
    unwrittenBytes += bytes.count
    if bytes.count < Self.minSliceBytes, let last = unwritten.indices.last, unwritten[last].count < Self.chunkBytes {
      unwritten[last] += bytes
    } else {
      unwritten.append(bytes)
    }
    guard unwrittenBytes >= (isHeld ? Self.maxHeldBytes : Self.chunkBytes) else { return }
    let (chunks, file, files, id) = (takeUnwritten(), takeFile(), files, id)
    state = .partial(try await pool.run { try files.write(chunks, of: id, to: file) })
  }

  // MARK: - Into a file

  /// Steps 2 and 3: the rest of the bytes is written, the file gets its place in `photos/`, and all of it is synced.
  func publish() async throws {
    let (chunks, file, files, id) = (takeUnwritten(), takeFile(), files, id)
    do {
      try await pool.run { try files.publish(files.write(chunks, of: id, to: file), as: id) }
    } catch {
      // A step that failed has removed what it could. The next start needs the name in `incoming/` to remove the rest.
      if !(error is QueueFull) { state = .stored }
      throw error
    }
    state = .stored
  }

  /// The name in `incoming/` is not needed any more. The client does not wait for this.
  func removeIncoming() {
    let (files, id) = (files, id)
    // If the pool is full, the end of the upload removes it.
    state = pool.submit({ try? files.removeIncoming(id) }) ? .stored : .partial(nil)
  }

  // MARK: - Into an object store

  /// The rest of the bytes is written, to a file that stays in `incoming/`.
  ///
  /// - Returns: that file, to read from.
  func finishFile() async throws -> PhotoFiles.Finished {
    let (chunks, file, files, id) = (takeUnwritten(), takeFile(), files, id)
    return try await pool.run { try files.finish(files.write(chunks, of: id, to: file), of: id) }
  }

  // MARK: - Bytes

  private func takeUnwritten() -> [ArraySlice<UInt8>] {
    defer { (unwritten, unwrittenBytes) = ([], 0) }
    return unwritten
  }

  /// The file so far. From now on there may be one to remove.
  private func takeFile() -> PhotoFiles.Partial? {
    guard case .partial(let file) = state else {
      state = .partial(nil)
      return nil
    }
    return file
  }
}
