import Platform
import SelfieAPI

/// A copy of the database for a rehearsal, which upgrades and reads it without a trace in the storage. It holds
/// password hashes, so it is for its owner only.
struct DatabaseCopy {
  /// Where the database is, or is to be.
  let path: String
  private let folder: String

  /// - Parameter original: a database that nobody writes to. If it is nil or there is no such
  ///   file, there is no copy either.
  init(of original: String?) throws {
    folder = try FileSystem.makeTemporaryFolder(prefix: "/tmp/selfie-server-")
    path = StorageLayout(folder: folder).database
    guard let original else { return }
    do {
      // SQLite makes the log's index (-shm) anew.
      for suffix in ["", "-wal"] { try Self.copy(original + suffix, to: path + suffix) }
    } catch {
      remove()
      throw ConfigurationError("The database cannot be copied to /tmp, for comparison: \(error).")
    }
  }

  func remove() {
    try? FileSystem.removeTree(folder)
  }

  /// Copies a file if there is one.
  private static func copy(_ path: String, to newPath: String) throws(FileError) {
    guard let source = try FileSystem.open(path) else { return }
    let target = try FileSystem.create(newPath)
    while case let bytes = try FileSystem.read(source, maxBytes: 256 * 1024, path: path), !bytes.isEmpty {
      try FileSystem.write(bytes[...], to: target, path: newPath)
    }
  }
}
