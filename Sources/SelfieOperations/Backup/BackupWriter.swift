import Cryptography
import Glibc
import Platform

/// Writes a backup as a stream: a tar archive, whose last entry is the manifest.
struct BackupWriter {
  private let archive: OpenFile
  private let path: String
  /// A file without a name, since the manifest's size must be known before it is put into the archive.
  private let manifest: OpenFile
  private let manifestPath: String
  private var digest = SHA256()
  private let modifiedAt: Int64

  /// - Parameters:
  ///   - file: an empty file. `path` is its name, for errors.
  ///   - manifestPath: the name that the manifest has for an instant.
  ///   - modifiedAt: the time for all entries, in Unix seconds.
  init(
    to file: OpenFile, path: String, manifestPath: String, head: BackupManifest.Head, modifiedAt: Int64
  ) throws {
    archive = file
    self.path = path
    self.manifestPath = manifestPath
    try FileSystem.remove(manifestPath)
    let descriptor = open(manifestPath, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileError("open", manifestPath) }
    manifest = OpenFile(owning: descriptor)
    try FileSystem.remove(manifestPath)
    self.modifiedAt = modifiedAt
    try append(BackupManifest.line(head))
  }

  /// Adds a whole file.
  ///
  /// - Parameters:
  ///   - isDamaged: receives its size and SHA-256.
  ///   - progress: receives the size of each chunk.
  /// - Returns: its line of the manifest.
  mutating func append(
    _ entry: BackupEntry, _ contents: OpenFile, path: String,
    isDamaged: (_ byteCount: Int64, _ sha256: [UInt8]) -> Bool = { _, _ in false },
    progress: (Int64) throws -> Void = { _ in }
  ) throws -> BackupManifest.Entry {
    let (byteCount, sha256) = try copy(entry, contents, path, progress)
    let line = BackupManifest.Entry(
      name: entry.name, size: byteCount, sha256: Digest.hex(sha256),
      damaged: isDamaged(byteCount, sha256) ? true : nil)
    try append(BackupManifest.line(line))
    return line
  }

  /// Ends the archive, and writes the rest of it.
  mutating func finish(_ summary: BackupManifest.Summary) throws {
    try append(BackupManifest.line(summary))
    try append(BackupManifest.line(["sha256": Digest.hex(digest.finish())]))
    _ = try copy(.manifest, manifest, manifestPath) { _ in }
    try write(TarHeader.end)
  }

  private mutating func append(_ line: [UInt8]) throws {
    digest.update(line)
    try FileSystem.write(line[...], to: manifest, path: manifestPath)
  }

  private func write(_ bytes: [UInt8]) throws(FileError) {
    try FileSystem.write(bytes[...], to: archive, path: path)
  }

  private func copy(
    _ entry: BackupEntry, _ contents: OpenFile, _ path: String, _ progress: (Int64) throws -> Void
  ) throws -> (byteCount: Int64, sha256: [UInt8]) {
    let byteCount = try FileSystem.byteCount(of: contents, path: path)
    let header = TarHeader(name: entry.name, byteCount: byteCount, modifiedAt: modifiedAt)
    try write(header.bytes)
    var digest = SHA256()
    var rest = byteCount
    try FileSystem.forEachChunk(of: contents, path: path) { bytes in
      rest -= Int64(bytes.count)
      guard rest >= 0 else { throw OperationError.changed(path) }
      digest.update(bytes)
      try write(bytes)
      try progress(Int64(bytes.count))
    }
    guard rest == 0 else { throw OperationError.changed(path) }
    try write([UInt8](repeating: 0, count: header.padding))
    return (byteCount, digest.finish())
  }
}

extension OperationError {
  /// A file was changed that no process may change.
  static func changed(_ path: String) -> OperationError { OperationError("\(path) was changed while it was read.") }
}
