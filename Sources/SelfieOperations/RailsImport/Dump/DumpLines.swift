/// Reads the lines of a dump in blocks, so that a dump may be larger than the memory.
struct DumpLines {
  /// A line is one row of COPY or INSERT, of which more bytes are not kept. The longest row of the original, seven
  /// texts of 255 characters, has fewer than ten thousand bytes.
  static let maxBytes = 1 << 20

  struct Line {
    /// Without the line feed.
    let bytes: [UInt8]
    /// Whether the line had more than `maxBytes`. The rest of it was skipped.
    let isCut: Bool
  }

  /// The number of the line that `next` returned last. The first is 1.
  private(set) var number = 0

  private let read: () throws -> [UInt8]
  private var block: [UInt8] = []
  private var position = 0
  private var isAtEnd = false

  /// - Parameter read: returns the next bytes; none at the end.
  init(read: @escaping () throws -> [UInt8]) {
    self.read = read
  }

  /// The next line; nil at the end.
  mutating func next() throws -> Line? {
    var bytes: [UInt8] = []
    var isCut = false
    var hasBegun = false
    while try fill() {
      hasBegun = true
      let rest = block[position...]
      let end = rest.firstIndex(of: UInt8(ascii: "\n"))
      let piece = rest[..<(end ?? rest.endIndex)]
      isCut = isCut || bytes.count + piece.count > Self.maxBytes
      bytes += piece.prefix(Self.maxBytes - bytes.count)
      position = end.map { $0 + 1 } ?? rest.endIndex
      if end != nil { break }
    }
    guard hasBegun else { return nil }
    number += 1
    return Line(bytes: bytes, isCut: isCut)
  }

  /// Returns false at the end of the dump.
  private mutating func fill() throws -> Bool {
    while position >= block.count && !isAtEnd {
      block = try read()
      position = 0
      isAtEnd = block.isEmpty
    }
    return position < block.count
  }
}
