import HTTPMessages
import Workers

/// The photos' bytes: `photos/ab/<random_id>`, and uploads under way in `incoming/`.
public struct PhotoFiles: Sendable {
  private let photos: String
  private let incoming: String
  private let lane: WorkerPool

  /// Makes the folders, and removes what uploads left behind when the server last ended in the middle of them.
  ///
  /// - Parameter lane: where the disk is waited for.
  public init(storage: String, lane: WorkerPool) throws {
    photos = "\(storage)/photos"
    incoming = "\(storage)/incoming"
    self.lane = lane
    for folder in [photos, incoming] where try FileSystem.makeFolder(folder) {
      try FileSystem.syncFolder(storage)
    }
    for name in try FileSystem.names(in: incoming) { try FileSystem.remove("\(incoming)/\(name)") }
  }

  /// Begins an upload.
  func receive(id: String) -> IncomingPhoto {
    IncomingPhoto(
      path: "\(incoming)/\(id)", folder: folder(of: id), finalPath: path(of: id), root: photos, lane: lane)
  }

  /// A photo's file and its size; nil when there is none.
  func open(_ id: String) throws -> (file: OpenFile, byteCount: Int64)? {
    let path = path(of: id)
    guard let file = try FileSystem.open(path) else { return nil }
    return (file, try FileSystem.byteCount(of: file, path: path))
  }

  func remove(_ id: String) async throws {
    let path = path(of: id)
    try await lane.run { try FileSystem.remove(path) }
  }

  private func folder(of id: String) -> String { "\(photos)/\(id.prefix(2))" }

  private func path(of id: String) -> String { "\(folder(of: id))/\(id)" }
}
