import Platform

/// Reads lines from a socket, and what follows them.
struct LineReader {
  private let file: OpenFile
  private let path: String
  private var buffer: [UInt8] = []

  private static let chunkBytes = 256 * 1024

  init(_ file: OpenFile, path: String) {
    self.file = file
    self.path = path
  }

  /// The next line without its end; nil if the input ends before, or the line is longer than `maxBytes`.
  mutating func line(maxBytes: Int) throws -> [UInt8]? {
    var searched = 0
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { buffer.removeFirst(end + 1) }
        return end <= maxBytes ? Array(buffer[..<end]) : nil
      }
      searched = buffer.count
      guard searched <= maxBytes else { return nil }
      let bytes = try FileSystem.read(file, maxBytes: Self.chunkBytes, path: path)
      guard !bytes.isEmpty else { return nil }
      buffer += bytes
    }
  }

  /// Some of the bytes that follow; none at the end.
  mutating func chunk() throws -> [UInt8] {
    defer { buffer = [] }
    return buffer.isEmpty ? try FileSystem.read(file, maxBytes: Self.chunkBytes, path: path) : buffer
  }
}
