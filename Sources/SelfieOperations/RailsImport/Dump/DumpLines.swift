/// Reads the lines of a dump in blocks, so that a dump may be larger than the memory.
struct DumpLines {
  /// The limit of a line, which is a row of a table. The longest row of the original, seven texts of 255 characters, has
  /// fewer than ten thousand bytes.
  static let maxBytes = 1 << 20

  /// The number of the line that `next` returned last. The first is 1.
  private(set) var number = 0

  private let read: () throws -> [UInt8]
  private var block: ArraySlice<UInt8> = []

  /// - Parameter read: returns the next bytes; none at the end.
  init(read: @escaping () throws -> [UInt8]) {
    self.read = read
  }

  /// The next line, without its line feed and the carriage return that Windows adds; nil at the end. Of a line that is too
  /// long, `maxBytes` and one more are returned.
  mutating func next() throws -> [UInt8]? {
    var line: [UInt8] = []
    var isEnded = false
    while !isEnded {
      if block.isEmpty { block = try read()[...] }
      if block.isEmpty && line.isEmpty { return nil }
      let piece = block.prefix { $0 != UInt8(ascii: "\n") }
      isEnded = block.isEmpty || piece.endIndex < block.endIndex
      line += piece.prefix(Self.maxBytes + 1 - line.count)
      block = block.dropFirst(piece.count + 1)
    }
    number += 1
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    return line
  }
}
