import Cryptography
import Glibc
import HTTPMessages
import Platform
import SQLite
import SelfieAPI
import SelfieTestDocuments

// The files of photos in seeds, exports and snapshots. `StoredRows` has the rows, and `PhotoFiles` in SelfieAPI writes
// uploads. The caller must hold the library's lock exclusively.

extension PhotoLibrary {
  /// Makes files of photos, then runs `write`, which inserts their rows. If that fails, the files are removed, unless the
  /// rows may be committed nonetheless.
  func withFiles<Result>(
    of ids: [String], make: @escaping @Sendable (PhotoFiles) throws -> Void, write: () async throws -> Result
  ) async throws -> Result {
    do {
      try await pool.run { [files] in try make(files) }
      return try await write()
    } catch {
      let mayHaveRows = (error as? SQLiteError)?.mayBeCommitted ?? false
      if !mayHaveRows {
        // A file that cannot be removed has no row, so it cannot be requested, and the next photo of its id replaces it.
        try? await pool.run { [files] in for id in ids { _ = try? FileSystem.remove(files.path(of: id)) } }
      }
      throw error
    }
  }
}

/// The bytes of a photo that has no file yet.
struct PhotoContent: Sendable {
  let id: String
  let bytes: [UInt8]
}

extension PhotoFiles {
  /// Makes files that have no rows yet. Equal photos share a file.
  func make(_ contents: [PhotoContent]) throws {
    var made: [[UInt8]: String] = [:]
    for content in contents {
      let path = path(of: content.id)
      try makeFolder(of: content.id)
      try FileSystem.remove(path)
      if let source = made[content.bytes] {
        try FileSystem.link(source, to: path)
        continue
      }
      let file = try FileSystem.create(path)
      try FileSystem.write(content.bytes[...], to: file, path: path)
      if isDurable { try FileSystem.sync(file, path: path) }
      made[content.bytes] = path
    }
    // Before their rows: a photo's row and its file exist together after a power failure, too.
    try syncFolders(of: contents.map(\.id))
  }

  /// Gives photos the files of a snapshot's folder.
  func link(_ ids: [String], from folder: String) throws {
    for id in ids {
      try makeFolder(of: id)
      try FileSystem.remove(path(of: id))
      try FileSystem.link("\(folder)/\(id)", to: path(of: id))
    }
    try syncFolders(of: ids)
  }

  /// Whether a photo has the file of a snapshot's folder; nil if it has none.
  func isLinked(_ id: String, from folder: String) throws -> Bool? {
    guard let status = try status(id) else { return nil }
    return try FileSystem.status("\(folder)/\(id)")?.inode == status.inode
  }

  /// - Throws: `ControlError` if the file is damaged.
  func check(_ id: String, byteCount: Int64?) throws {
    guard try status(id)?.byteCount == byteCount else {
      throw ControlError(.conflict, "The file of the photo \(id) is missing or has another length.")
    }
  }

  func base64(of photo: Seed.Photo) throws -> String {
    let id = photo.randomID ?? ""
    try check(id, byteCount: photo.byteCount)
    var bytes: [UInt8] = []
    if let found = try open(id) { try FileSystem.forEachChunk(of: found.file, path: found.path) { bytes += $0 } }
    return Base64.encode(bytes)
  }
}
