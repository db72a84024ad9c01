import Glibc
import HTTPMessages
import Platform
import SQLite
import SelfieAPI

/// Photos of seeds, imports and snapshots, whose bytes are blobs.
extension PhotoLibrary {
  /// A photo's random_id and its bytes.
  typealias Placing = (id: String, blob: Blob)

  /// Makes the files of photos, then runs `write`, which inserts their rows. The caller must hold the store exclusively.
  ///
  /// A file that exists under the same id is replaced when the rows are committed. If `write` fails, all files are
  /// restored, unless the rows may be committed nonetheless.
  func place<Result>(_ placings: [Placing], then write: () async throws -> Result) async throws -> Result {
    let files = files
    let placed = try await pool.run { try files.place(placings) }
    let result: Result
    do {
      result = try await write()
    } catch {
      let mayHaveRows = (error as? SQLiteError)?.mayBeCommitted ?? false
      if !mayHaveRows { try? await pool.run { files.takeBack(placed) } }
      throw error
    }
    guard !placed.waiting.isEmpty else { return result }
    try await pool.run { try files.replace(placed.waiting) }
    return result
  }
}

extension PhotoFiles {
  /// The photos whose files were made: those that had none, and those that have another file, which stays until the rows
  /// are committed.
  typealias Placed = (new: [String], waiting: [String])

  func place(_ placings: [PhotoLibrary.Placing]) throws -> Placed {
    var placed: Placed = ([], [])
    do {
      for placing in placings { try place(placing, &placed) }
      // Before their rows: a photo's row and its file exist together after a power failure, too.
      try syncFolders(of: placed.new)
      return placed
    } catch {
      takeBack(placed)
      throw error
    }
  }

  private func place(_ placing: PhotoLibrary.Placing, _ placed: inout Placed) throws {
    let (source, target) = (placing.blob.path, path(of: placing.id))
    try makeFolder(of: placing.id)
    do {
      try FileSystem.link(source, to: target)
      placed.new.append(placing.id)
    } catch  where error.number == EEXIST {
      guard try FileSystem.status(source)?.inode != FileSystem.status(target)?.inode else { return }
      let waiting = waitingPath(of: placing.id)
      try FileSystem.remove(waiting)
      try FileSystem.link(source, to: waiting)
      placed.waiting.append(placing.id)
    }
  }

  /// Where a photo's new file waits until the row of the old one is replaced.
  private func waitingPath(of id: String) -> String { "\(layout.state)/\(id)" }

  func takeBack(_ placed: Placed) {
    // A file that cannot be removed has no row, so it cannot be requested, and the next photo of its id replaces it.
    for id in placed.new { _ = try? FileSystem.remove(path(of: id)) }
    for id in placed.waiting { _ = try? FileSystem.remove(waitingPath(of: id)) }
  }

  func replace(_ ids: [String]) throws(FileError) {
    for id in ids { try FileSystem.rename(waitingPath(of: id), to: path(of: id)) }
    try syncFolders(of: ids)
  }
}
