import HTTPMessages
import Platform
import SelfieAPI

/// Photos that come as wholes: of a seed, of an import or of a snapshot.
extension PhotoLibrary {
  /// A photo's random_id, and the digest of the bytes that are to be its file.
  typealias Placing = (id: String, sha256: [UInt8])

  /// Gives the photos their files, then runs `write`, which gives them their rows. For who is alone in the gate.
  ///
  /// A file of the same id that is there is replaced when the rows are committed. If `write` fails, all files are as
  /// they were.
  ///
  /// - Parameter placings: their contents are held.
  func place<Result>(
    _ placings: [Placing], from contents: PhotoContents, then write: () async throws -> Result
  ) async throws -> Result {
    let files = files
    let placed = try await lane.run { try files.place(placings, from: contents) }
    let result: Result
    do {
      result = try await write()
    } catch {
      try? await lane.run { files.takeBack(placed, from: contents) }
      throw error
    }
    guard !placed.waiting.isEmpty else { return result }
    try await lane.run { try files.replace(placed.waiting, from: contents) }
    return result
  }
}

extension PhotoFiles {
  /// Photos that were given files.
  struct Placed: Sendable {
    /// Those that had none.
    var new: [String] = []
    /// Those in whose place there is another one.
    var waiting: [String] = []
  }

  func place(_ placings: [PhotoLibrary.Placing], from contents: PhotoContents) throws -> Placed {
    var placed = Placed()
    do {
      for placing in placings { try place(placing, from: contents, &placed) }
      return placed
    } catch {
      takeBack(placed, from: contents)
      throw error
    }
  }

  private func place(
    _ placing: PhotoLibrary.Placing, from contents: PhotoContents, _ placed: inout Placed
  ) throws(FileError) {
    let (source, target) = (contents.path(of: placing.sha256), path(of: placing.id))
    do throws(FileError) {
      do throws(FileError) {
        try linkMakingFolder(source, as: placing.id)
      } catch {
        guard error.isLinkedTooOften else { throw error }
        try contents.renew(placing.sha256)
        try linkMakingFolder(source, as: placing.id)
      }
      placed.new.append(placing.id)
    } catch {
      guard error.isFileThere else { throw error }
      guard try FileSystem.status(source)?.inode != FileSystem.status(target)?.inode else { return }
      let waiting = contents.waitingPath(of: placing.id)
      try FileSystem.remove(waiting)
      try FileSystem.link(source, to: waiting)
      placed.waiting.append(placing.id)
    }
  }

  private func linkMakingFolder(_ source: String, as id: String) throws(FileError) {
    do throws(FileError) {
      try FileSystem.link(source, to: path(of: id))
    } catch {
      guard error.isNothingThere else { throw error }
      try makeFolder(of: id)
      try FileSystem.link(source, to: path(of: id))
    }
  }

  func takeBack(_ placed: Placed, from contents: PhotoContents) {
    // What cannot be removed has no row: nobody can ask for it, and the next of its id replaces it.
    for id in placed.new { _ = try? FileSystem.remove(path(of: id)) }
    for id in placed.waiting { _ = try? FileSystem.remove(contents.waitingPath(of: id)) }
  }

  func replace(_ ids: [String], from contents: PhotoContents) throws(FileError) {
    for id in ids { try FileSystem.rename(contents.waitingPath(of: id), to: path(of: id)) }
  }
}
