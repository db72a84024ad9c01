import Glibc

/// Whole files of text.
enum TextFile {
  static func read(_ path: String) throws -> String {
    guard let file = fopen(path, "r") else { throw FileError(path) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      bytes += buffer[..<count]
      if count < buffer.count { break }
    }
    guard ferror(file) == 0 else { throw FileError(path) }
    return String(decoding: bytes, as: UTF8.self)
  }

  static func write(_ text: String, to path: String) throws {
    guard let file = fopen(path, "w") else { throw FileError(path) }
    let bytes = Array(text.utf8)
    let written = fwrite(bytes, 1, bytes.count, file)
    guard fclose(file) == 0, written == bytes.count else { throw FileError(path) }
  }

  struct FileError: Error, CustomStringConvertible {
    let description: String

    init(_ path: String) {
      description = "\(path): \(String(cString: strerror(errno)))"
    }
  }
}
