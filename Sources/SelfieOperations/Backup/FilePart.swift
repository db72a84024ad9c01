import Cryptography
import Glibc
import Platform

/// A part of a file that is only read: all of a file, or an entry of an archive.
struct FilePart {
  /// Bytes that are read at once.
  private static let chunkBytes: Int64 = 256 * 1024

  let file: OpenFile
  let path: String
  var offset: Int64 = 0
  let byteCount: Int64

  /// All of a plain file, not of one that a link leads to; nil if there is none.
  ///
  /// - Throws: `FileError`, also for what is no plain file.
  init?(at path: String) throws(FileError) {
    guard let plain = try PlainFile(at: path, followsLink: false) else { return nil }
    (file, self.path, byteCount) = (plain.file, path, plain.byteCount)
  }

  init(_ file: OpenFile, path: String, offset: Int64, byteCount: Int64) {
    (self.file, self.path, self.offset, self.byteCount) = (file, path, offset, byteCount)
  }

  /// Reads it a chunk at a time, and returns its SHA-256.
  ///
  /// - Throws: `FileError` with `ENODATA` if the file has become shorter.
  @discardableResult
  func forEachChunk(_ body: ([UInt8]) throws -> Void = { _ in }) throws -> [UInt8] {
    let digest = SHA256()
    var done: Int64 = 0
    while done < byteCount {
      let bytes = try FileSystem.read(
        file, at: off_t(offset + done), Int(min(Self.chunkBytes, byteCount - done)), path: path)
      guard !bytes.isEmpty else { throw FileError("read", path, number: ENODATA) }
      digest.update(bytes)
      done += Int64(bytes.count)
      try body(bytes)
    }
    return digest.finish()
  }

  /// Copies it to a new file that only its owner may read, and returns its SHA-256 once that is on the disk. After an error
  /// nothing of the copy remains.
  ///
  /// - Parameter each: is called after each chunk, and may throw to end the copy.
  func copy(to target: String, each: () throws -> Void = {}) throws -> [UInt8] {
    let copy = try FileSystem.create(target)
    do {
      let sha256 = try forEachChunk { bytes in
        try FileSystem.write(bytes[...], to: copy, path: target)
        try each()
      }
      try FileSystem.sync(copy, path: target)
      // The next time it is read from the disk.
      posix_fadvise(copy.descriptor, 0, 0, POSIX_FADV_DONTNEED)
      return sha256
    } catch {
      unlink(target)
      throw error
    }
  }
}

extension FileSystem {
  /// Makes a small file that only its owner may read, and returns once its bytes are on the disk. Its name is there once the
  /// folder is synced.
  static func write(_ bytes: [UInt8], toNew path: String) throws(FileError) {
    let file = try create(path)
    try write(bytes[...], to: file, path: path)
    try sync(file, path: path)
  }
}
