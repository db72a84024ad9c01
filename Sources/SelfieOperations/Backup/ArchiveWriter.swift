import Cryptography
import HTTPMessages
import Platform
import SelfieAPI

/// Writes a tar archive as a stream.
struct ArchiveWriter {
  /// Small files are gathered until there are so many bytes for one write.
  private static let chunkBytes = 256 * 1024

  private let file: OpenFile
  private let path: String
  private let modifiedAt: Int64
  private var gathered: [UInt8] = []

  /// - Parameters:
  ///   - file: an empty file. `path` is its name, for errors.
  ///   - modifiedAt: the time for all entries, in Unix seconds.
  init(to file: OpenFile, path: String, modifiedAt: Int64) {
    self.file = file
    self.path = path
    self.modifiedAt = modifiedAt
  }

  /// Adds a whole file, and returns its size and SHA-256.
  ///
  /// - Parameter progress: called with the size of each chunk.
  mutating func append(
    _ entry: BackupEntry, _ contents: OpenFile, path: String, progress: (Int64) throws -> Void
  ) throws -> (byteCount: Int64, sha256: [UInt8]) {
    let byteCount = try FileSystem.byteCount(of: contents, path: path)
    let header = TarHeader(name: entry.name, byteCount: byteCount, modifiedAt: modifiedAt)
    try write(header.bytes)
    var digest = SHA256()
    var rest = byteCount
    try FileSystem.forEachChunk(of: contents, path: path) { bytes in
      rest -= Int64(bytes.count)
      guard rest >= 0 else { throw FileChanged(path: path) }
      digest.update(bytes)
      try write(bytes)
      try progress(Int64(bytes.count))
    }
    guard rest == 0 else { throw FileChanged(path: path) }
    try write([UInt8](repeating: 0, count: header.padding))
    return (byteCount, digest.finish())
  }

  /// Ends the archive, and writes the rest of it.
  mutating func finish() throws {
    try write(TarHeader.end)
    try flush()
  }

  private mutating func write(_ bytes: [UInt8]) throws {
    gathered += bytes
    if gathered.count >= Self.chunkBytes { try flush() }
  }

  private mutating func flush() throws {
    try FileSystem.write(gathered[...], to: file, path: path)
    gathered.removeAll(keepingCapacity: true)
  }
}

/// A file changed while it was read, although nobody may change it.
struct FileChanged: Error, CustomStringConvertible {
  let path: String

  var description: String { "\(path) was changed while it was read." }
}
