package import Glibc

// Reads files, and replaces small ones as a whole. FileSystem.swift has the calls on names and folders, and writes to
// open files.
extension FileSystem {
  /// The next bytes of a file or a pipe, at most `maxBytes`; none at its end.
  package static func read(_ file: OpenFile, maxBytes: Int, path: String) throws(FileError) -> [UInt8] {
    try bytes(maxBytes, path: path) { Glibc.read(file.descriptor, $0.baseAddress, maxBytes) }
  }

  /// Bytes read at once: far more would save no time.
  private static let chunkBytes = 256 * 1024

  /// Reads a whole file from its beginning, a chunk at a time.
  package static func forEachChunk(of file: OpenFile, path: String, _ body: ([UInt8]) throws -> Void) throws {
    var offset: off_t = 0
    while true {
      let bytes = try read(file, at: offset, chunkBytes, path: path)
      if bytes.isEmpty { return }
      offset += off_t(bytes.count)
      try body(bytes)
    }
  }

  /// The bytes from an offset on, at most `maxBytes`; none at the end of the file.
  package static func read(
    _ file: OpenFile, at offset: off_t, _ maxBytes: Int, path: String
  ) throws(FileError) -> [UInt8] {
    try bytes(maxBytes, path: path) { pread(file.descriptor, $0.baseAddress, maxBytes, offset) }
  }

  private static func bytes(
    _ maxBytes: Int, path: String, read: (UnsafeMutableBufferPointer<UInt8>) -> Int
  ) throws(FileError) -> [UInt8] {
    var number: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: maxBytes) { buffer, count in
      var result: Int
      repeat {
        result = read(buffer)
      } while result < 0 && errno == EINTR
      if result < 0 { number = errno }
      count = max(0, result)
    }
    guard number == 0 else { throw FileError("read", path, number: number) }
    return bytes
  }

  /// All bytes of a small, plain file; nil when there is none. Stops reading soon after `maxBytes`, so a file that is too
  /// large gives more bytes than that.
  package static func contents(of path: String, maxBytes: Int) throws(FileError) -> [UInt8]? {
    // As in `--config /dev/null`, which is no plain file.
    if path == "/dev/null" { return [] }
    let file: OpenFile
    do {
      guard let found = try open(path) else { return nil }
      file = found
    } catch  where error.number == ENOTDIR {
      return nil
    }
    var contents: [UInt8] = []
    while contents.count <= maxBytes {
      let bytes = try read(file, maxBytes: 64 * 1024, path: path)
      if bytes.isEmpty { break }
      contents += bytes
    }
    return contents
  }

  /// Makes or replaces a small file that only its owner may read, and returns once it is on the disk under its name. The
  /// name never leads to a part of it, even after a crash.
  ///
  /// - Parameter isDurable: false if nobody reads the file after a crash. Its reader may remove it at once then.
  package static func replace(_ path: String, with bytes: [UInt8], isDurable: Bool = true) throws(FileError) {
    let partial = "\(path).\(getpid())"
    let file = try OpenFile(partial, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK, permissions: 0o600)
    do {
      try write(bytes[...], to: file, path: partial)
      if isDurable { try sync(file, path: partial) }
      try rename(partial, to: path)
    } catch {
      unlink(partial)
      throw error
    }
    if isDurable { try syncFolder(parent(of: path)) }
  }

  /// Makes a folder for its owner only, and returns its path: `prefix` and six random characters.
  package static func makeTemporaryFolder(prefix: String) throws(FileError) -> String {
    var path = Array("\(prefix)XXXXXX".utf8CString)
    guard mkdtemp(&path) != nil else { throw FileError("mkdtemp", prefix) }
    return String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The folder that a path's last name is in.
  package static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
