/// Reads lines from chunks of bytes, and what follows them. Its users, such as `PostgresDump`, interpret the lines.
package struct LineReader {
  /// A line without its end, or a part of it.
  struct Line {
    let bytes: [UInt8]
    /// Whether all of it was read.
    let isWhole: Bool
  }

  /// Returns the next bytes; none at the end.
  private let read: () throws -> [UInt8]
  private var buffer: ArraySlice<UInt8> = []

  package init(_ read: @escaping () throws -> [UInt8]) {
    self.read = read
  }

  /// The next line without its end; nil if the input ends before, or the line is longer than `maxBytes`.
  package mutating func line(maxBytes: Int) throws -> [UInt8]? {
    guard let line = try next(maxBytes: maxBytes), line.isWhole else { return nil }
    return line.bytes
  }

  /// The next line without its end, or a part of it: `maxBytes` of a longer line, and all of a last one that has no end.
  /// Nil at the end of the input.
  mutating func next(maxBytes: Int) throws -> Line? {
    let lineFeed = UInt8(ascii: "\n")
    var line: [UInt8] = []
    while true {
      if buffer.isEmpty { buffer = try read()[...] }
      guard !buffer.isEmpty else { return line.isEmpty ? nil : Line(bytes: line, isWhole: false) }
      let piece = buffer[..<(buffer.firstIndex(of: lineFeed) ?? buffer.endIndex)].prefix(maxBytes - line.count)
      line += piece
      buffer = buffer[piece.endIndex...]
      if buffer.first == lineFeed { return Line(bytes: line, isWhole: buffer.popFirst() != nil) }
      if !buffer.isEmpty { return Line(bytes: line, isWhole: false) }
    }
  }

  /// Some of the bytes that follow; none at the end.
  package mutating func chunk() throws -> [UInt8] {
    defer { buffer = [] }
    return buffer.isEmpty ? try read() : Array(buffer)
  }
}
