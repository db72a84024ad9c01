import HTTPMessages
import Platform

/// A photo that is being uploaded. Nothing of it remains unless it was placed.
///
/// Bytes are gathered and written a stretch at a time, on the lane that may wait for the disk.
final class IncomingPhoto {
  /// Bytes written at once. More would take more memory of many uploads than it saves time; less would switch threads
  /// more often.
  private static let stretch = 192 * 1024

  let id: String
  private let files: PhotoFiles
  private let lane: WorkerPool
  private var partial: PhotoFiles.Partial?
  /// As they came: nothing is copied but by the system.
  private var gathered: [ArraySlice<UInt8>] = []
  private var gatheredCount = 0
  /// The beginning of the file, by which its type is known.
  private var beginning: [UInt8] = []
  private(set) var byteCount = 0
  /// Whether there may be a file that is not placed.
  private var isOnDisk = false

  init(id: String, files: PhotoFiles, lane: WorkerPool) {
    self.id = id
    self.files = files
    self.lane = lane
  }

  deinit {
    // Quick, and too late to tell anybody of: what is left is removed at the next start.
    if isOnDisk { try? files.confirm(id) }
  }

  var contentType: ContentType { ContentType(beginning: beginning) }

  func append(_ bytes: ArraySlice<UInt8>) async throws {
    if beginning.count < ContentType.neededBytes {
      beginning += bytes.prefix(ContentType.neededBytes - beginning.count)
    }
    byteCount += bytes.count
    gathered.append(bytes)
    gatheredCount += bytes.count
    if gatheredCount >= Self.stretch { try await flush() }
  }

  /// Puts the file into its place, and returns when it is on the disk. From now on it stays until it is
  /// kept or discarded, or until the next start, which does the one or the other as the photo has a row or has none.
  func place() async throws {
    let (stretches, partial, id, files) = (takeGathered(), partial, id, files)
    isOnDisk = true
    do {
      try await lane.run { try Self.place(stretches, partial, files, id) }
    } catch is WorkerPoolFull {
      throw WorkerPoolFull()
    } catch {
      // What could be removed is; where that has failed, the next start needs the name in `incoming/`.
      isOnDisk = false
      throw error
    }
    isOnDisk = false
    self.partial = nil
  }

  private static func place(
    _ stretches: [ArraySlice<UInt8>], _ partial: PhotoFiles.Partial?, _ files: PhotoFiles, _ id: String
  ) throws(FileError) {
    let whole: PhotoFiles.Partial
    do throws(FileError) {
      whole = try files.write(stretches, of: id, to: partial)
    } catch {
      try? files.confirm(id)
      throw error
    }
    try files.place(whole, as: id)
  }

  /// The photo's row is on the disk. Nobody needs to wait for what is left to do.
  func keep() {
    let (id, files) = (id, files)
    // A lane that has no room has more pressing things to do: the next start does this one.
    _ = lane.submit { try? files.confirm(id) }
  }

  /// The photo will have no row.
  func discard() async throws {
    let (id, files) = (id, files)
    try await lane.run { try files.discard(id) }
  }

  private func flush() async throws {
    let (stretches, existing, id, files) = (takeGathered(), partial, id, files)
    isOnDisk = true
    partial = try await lane.run { try files.write(stretches, of: id, to: existing) }
  }

  private func takeGathered() -> [ArraySlice<UInt8>] {
    defer {
      gathered = []
      gatheredCount = 0
    }
    return gathered
  }
}
