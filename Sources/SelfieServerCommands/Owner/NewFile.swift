import Glibc
import Platform
import SelfieOperations

/// A file that a command makes. Until it is whole, its bytes are under another name, and an empty file keeps its own.
struct NewFile {
  private let path: String
  /// Whether the empty file is of this command.
  private let isReserved: Bool
  private let partial: PartialFile

  /// - Throws: an error if there is such a file, unless this `replaces` it.
  init(_ path: String, replaces: Bool) throws {
    self.path = path
    isReserved = !replaces
    if replaces, FileSystem.isFolder(path) { throw FileError("open", path, number: EISDIR) }
    if !replaces { try Self.reserve(path) }
    do {
      partial = try PartialFile(for: path)
    } catch {
      if !replaces { unlink(path) }
      throw error
    }
  }

  private static func reserve(_ path: String) throws {
    do {
      _ = try FileSystem.create(path)
    } catch {
      guard error.number == EEXIST else { throw error }
      throw CommandFailure("\(path) exists already. Give another name, or --force to replace it.")
    }
  }

  func write(_ bytes: ArraySlice<UInt8>) throws {
    try FileSystem.write(bytes, to: partial.file, path: partial.path)
  }

  /// Returns once the file is on the disk under its name.
  func commit() throws {
    try FileSystem.sync(partial.file, path: partial.path)
    try partial.commit()
  }

  func discard() {
    partial.discard()
    if isReserved { unlink(path) }
  }
}
