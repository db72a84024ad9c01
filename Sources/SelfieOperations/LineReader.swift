/// Reads lines from chunks of bytes, and what follows them.
package struct LineReader {
  /// Returns the next bytes; none at the end.
  private let read: () throws -> [UInt8]
  private var buffer: ArraySlice<UInt8> = []

  package init(_ read: @escaping () throws -> [UInt8]) {
    self.read = read
  }

  /// The next line without its end; nil if the input ends before, or the line is longer than `maxBytes`.
  package mutating func line(maxBytes: Int) throws -> [UInt8]? {
    var searched = buffer.startIndex
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = buffer[..<end]
        buffer = buffer[(end + 1)...]
        return line.count <= maxBytes ? Array(line) : nil
      }
      guard buffer.count <= maxBytes, case let bytes = try read(), !bytes.isEmpty else { return nil }
      searched = buffer.endIndex
      buffer += bytes
    }
  }

  /// Some of the bytes that follow; none at the end.
  package mutating func chunk() throws -> [UInt8] {
    defer { buffer = [] }
    return buffer.isEmpty ? try read() : Array(buffer)
  }
}
