/// The lines of a dump, read a block at a time, so that a dump may be larger than the memory.
struct DumpLines {
  /// Bytes of a line that are kept: one row of COPY or INSERT. The longest that the original can have, seven
  /// texts of 255 characters, has less than ten thousand.
  static let maxBytes = 1 << 20

  struct Line {
    /// Without the line feed.
    let bytes: [UInt8]
    /// Whether there was more than `maxBytes`; the rest has been passed over.
    let isCut: Bool
  }

  /// The number of the line that `next` has answered, from 1 on.
  private(set) var number = 0

  private let read: () throws -> [UInt8]
  private var block: [UInt8] = []
  private var position = 0
  private var isAtEnd = false

  /// - Parameter read: the next bytes; none at the end.
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

  /// Whether there are bytes.
  private mutating func fill() throws -> Bool {
    while position >= block.count && !isAtEnd {
      block = try read()
      position = 0
      isAtEnd = block.isEmpty
    }
    return position < block.count
  }
}
