import Cryptography
import Glibc
import Platform
import SelfieAPI

/// Writes a backup as a stream: a tar archive, whose last entry is the manifest. `StorageBackup` chooses what it
/// contains.
struct BackupWriter {
  /// The entries so far.
  var summary = BackupManifest.Summary()
  private let archive: OpenFile
  private let path: String
  /// Written beside the archive, since its size must be known before it is put into it.
  private let manifest: OpenFile
  private let manifestPath: String
  private let digest = SHA256()
  private let modifiedAt: Int64

  /// - Parameters:
  ///   - file: an empty file. `path` is its name, for errors.
  ///   - manifestPath: where the manifest is until it is complete.
  ///   - modifiedAt: the time for all entries, in Unix seconds.
  init(
    to file: OpenFile, path: String, manifestPath: String, head: BackupManifest.Head, modifiedAt: Int64
  ) throws {
    archive = file
    self.path = path
    self.manifestPath = manifestPath
    manifest = try OpenFile(manifestPath, O_RDWR | O_CREAT | O_EXCL, permissions: 0o600)
    self.modifiedAt = modifiedAt
    try append(BackupManifest.line(head))
  }

  /// Adds a whole file.
  ///
  /// - Parameters:
  ///   - photo: the photo whose file it is; nil for another entry.
  ///   - progress: receives how many of its bytes were written so far.
  mutating func append(
    _ entry: BackupEntry, _ contents: OpenFile, path: String, of photo: Photo? = nil,
    progress: (Int64) throws -> Void = { _ in }
  ) throws {
    let (byteCount, sha256) = try copy(entry, contents, path, progress)
    let isAsUploaded = photo.map { $0.byteCount == byteCount && $0.sha256 ?? sha256 == sha256 } ?? true
    let line = BackupManifest.Entry(
      name: entry.name, size: byteCount, sha256: Digest.hex(sha256), damaged: isAsUploaded ? nil : true)
    try append(BackupManifest.line(line))
    summary.count(entry, line)
  }

  /// Ends the archive, and writes the rest of it.
  mutating func finish() throws {
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
    let byteCount = try FileSystem.status(of: contents, path: path).byteCount
    let header = TarHeader(name: entry.name, byteCount: byteCount, modifiedAt: modifiedAt)
    try write(header.bytes)
    let digest = SHA256()
    var rest = byteCount
    try FileSystem.forEachChunk(of: contents, path: path) { bytes in
      rest -= Int64(bytes.count)
      guard rest >= 0 else { throw OperationError.changed(path) }
      digest.update(bytes)
      try write(bytes)
      try progress(byteCount - rest)
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
