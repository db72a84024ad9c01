import Cryptography
import Glibc
import HTTPMessages
import Platform

/// The folder to which a bucket of S3 was copied: a plain file for each photo, named by its random_id.
package struct PhotoSource: Sendable {
  package let folder: String

  package init(folder: String) {
    self.folder = folder
  }

  /// A file that can be copied.
  package struct File {
    package let file: OpenFile
    package let path: String
    package let byteCount: Int64
  }

  package enum Found {
    case file(File)
    /// Why there is none.
    case nothing(String)
  }

  /// - Parameter id: of a photo, and so a safe name.
  package func find(_ id: String) -> Found {
    switch Self.find(atPath: "\(folder)/\(id)") {
    case .file(let file) where file.byteCount == 0: .nothing("\(file.path) is empty")
    case let found: found
    }
  }

  /// A plain file, which may be empty.
  package static func find(atPath path: String) -> Found {
    // A C string ends at a NUL.
    guard !path.utf8.contains(0) else { return .nothing("its path contains a NUL character") }
    // Neither a link, which may lead anywhere, nor a pipe, which would be waited for.
    let descriptor = Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    if descriptor < 0 && errno == ENOENT { return .nothing("there is no file \(path)") }
    if descriptor < 0 && errno == ELOOP { return .nothing("\(path) is not a plain file") }
    guard descriptor >= 0 else { return .nothing("\(path) cannot be read: \(String(cString: strerror(errno)))") }
    let file = OpenFile(owning: descriptor)
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return .nothing("\(path) is not a plain file")
    }
    return .file(File(file: file, path: path, byteCount: Int64(status.st_size)))
  }
}

extension FileSystem {
  /// Bytes that are read and written at once.
  private static let stretch = 256 * 1024

  /// Shows all of a file, a stretch at a time.
  package static func forEachStretch(of file: OpenFile, path: String, _ body: ([UInt8]) throws -> Void) throws {
    var offset: off_t = 0
    while true {
      let bytes = try read(file, at: offset, stretch, path: path)
      if bytes.isEmpty { return }
      offset += off_t(bytes.count)
      try body(bytes)
    }
  }

  /// So many bytes at most; none at the end of the file.
  package static func read(
    _ file: OpenFile, at offset: off_t, _ mostBytes: Int, path: String
  ) throws(FileError) -> [UInt8] {
    var number: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: mostBytes) { buffer, count in
      var result: Int
      repeat {
        result = pread(file.descriptor, buffer.baseAddress, mostBytes, offset)
      } while result < 0
        && errno == EINTR
      if result < 0 { number = errno }
      count = max(0, result)
    }
    guard number == 0 else { throw FileError("read", path, number: number) }
    return bytes
  }

}

extension SHA256 {
  /// Of a whole file.
  package static func digest(of file: OpenFile, path: String) throws -> [UInt8] {
    var digest = SHA256()
    try FileSystem.forEachStretch(of: file, path: path) { digest.update($0) }
    return digest.finish()
  }
}
