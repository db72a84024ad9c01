import HTTPMessages
import Workers

/// A photo that is being uploaded. Nothing of it remains unless it is kept.
///
/// Bytes are gathered and written a stretch at a time, on the lane that may wait for the disk.
final class IncomingPhoto {
  /// Bytes written at once. More would save little; less would switch threads more often.
  private static let stretch = 256 * 1024

  private let path: String
  private let folder: String
  private let finalPath: String
  private let root: String
  private let lane: WorkerPool
  private var file: OpenFile?
  private var gathered: [UInt8] = []
  /// The beginning of the file, by which its type is known.
  private var beginning: [UInt8] = []
  private(set) var byteCount = 0
  /// Where the file is now, unless it was kept or nothing was written yet.
  private var remains: String?

  init(path: String, folder: String, finalPath: String, root: String, lane: WorkerPool) {
    self.path = path
    self.folder = folder
    self.finalPath = finalPath
    self.root = root
    self.lane = lane
  }

  deinit {
    // Quick, and too late to tell anybody of: what is left is removed at the next start.
    if let remains { try? FileSystem.remove(remains) }
  }

  var contentType: ContentType { ContentType(beginning: beginning) }

  func append(_ bytes: ArraySlice<UInt8>) async throws {
    if beginning.count < ContentType.neededBytes {
      beginning += bytes.prefix(ContentType.neededBytes - beginning.count)
    }
    byteCount += bytes.count
    gathered += bytes
    if gathered.count >= Self.stretch { try await flush() }
  }

  /// Puts the file into its place, and returns when it is on the disk: its bytes first, then its name.
  func moveIntoPlace() async throws {
    let (bytes, existing, path) = (takeGathered(), file, path)
    let (folder, finalPath, root) = (folder, finalPath, root)
    remains = path
    try await lane.run {
      let file = try existing ?? FileSystem.create(path)
      try FileSystem.write(bytes, to: file, path: path)
      try FileSystem.sync(file, path: path)
      if try FileSystem.makeFolder(folder) { try FileSystem.syncFolder(root) }
      try FileSystem.rename(path, to: finalPath)
    }
    file = nil
    remains = finalPath
    try await lane.run { try FileSystem.syncFolder(folder) }
  }

  /// The file is known to the database now, and stays.
  func keep() {
    remains = nil
  }

  private func flush() async throws {
    let (bytes, existing, path) = (takeGathered(), file, path)
    remains = path
    file = try await lane.run {
      let file = try existing ?? FileSystem.create(path)
      try FileSystem.write(bytes, to: file, path: path)
      return file
    }
  }

  private func takeGathered() -> [UInt8] {
    defer { gathered = [] }
    return gathered
  }
}
