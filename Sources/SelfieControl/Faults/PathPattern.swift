/// A path, in which each `*` stands for any characters, slashes included, or none.
///
/// A comparison takes time in proportion to the path, whatever the pattern is: it is done for each request, on an event
/// loop.
struct PathPattern {
  /// Longer than any path of the API.
  static let maxBytes = 1024

  let text: String
  /// What stands between the stars.
  private let pieces: [Piece]

  init(_ text: String) {
    self.text = text
    pieces = text.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map { Piece(Array($0)) }
  }

  /// Whether it stands for one path only.
  var isExact: Bool { pieces.count == 1 }

  /// - Parameter path: as it was sent, without the query.
  func matches(_ path: ArraySlice<UInt8>) -> Bool {
    matches(exactly: path) || matches(exactly: Self.plain(path)[...])
  }

  /// Takes each piece where it comes first, which is enough: what is behind a later place is also behind that one.
  private func matches(exactly path: ArraySlice<UInt8>) -> Bool {
    guard let first = pieces.first, let last = pieces.last, path.starts(with: first.bytes) else { return false }
    guard !isExact else { return path.count == first.bytes.count }
    var rest = path.dropFirst(first.bytes.count)
    guard rest.count >= last.bytes.count, rest.suffix(last.bytes.count).elementsEqual(last.bytes) else { return false }
    rest = rest.dropLast(last.bytes.count)
    for piece in pieces.dropFirst().dropLast() {
      guard let end = piece.firstEnd(in: rest) else { return false }
      rest = rest[end...]
    }
    return true
  }

  /// The one of a path's spellings that people write down: without doubled and trailing slashes, and without the
  /// format that the API takes behind its actions.
  private static func plain(_ path: ArraySlice<UInt8>) -> [UInt8] {
    var pieces = path.split(separator: UInt8(ascii: "/"))
    if pieces.count == 2, pieces[0].elementsEqual("api".utf8) {
      pieces[1] = pieces[1].prefix { $0 != UInt8(ascii: ".") }
    }
    return pieces.isEmpty ? [UInt8(ascii: "/")] : pieces.flatMap { [UInt8(ascii: "/")] + $0 }
  }
}

/// Bytes to look for, by the algorithm of Knuth, Morris and Pratt.
private struct Piece {
  let bytes: [UInt8]
  /// For each count of bytes that were found: how many of them, at their end, may begin a new find.
  private let borders: [Int]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var borders = [0, 0]
    for index in bytes.indices.dropFirst() {
      borders.append(Self.next(borders[index], bytes[index], bytes, borders))
    }
    self.borders = borders
  }

  /// Where the first find ends; nil when there is none.
  func firstEnd(in text: ArraySlice<UInt8>) -> Int? {
    if bytes.isEmpty { return text.startIndex }
    var found = 0
    for index in text.indices {
      found = Self.next(found, text[index], bytes, borders)
      if found == bytes.count { return index + 1 }
    }
    return nil
  }

  /// How many bytes are found with one more byte of text; before it, fewer than all.
  private static func next(_ found: Int, _ byte: UInt8, _ bytes: [UInt8], _ borders: [Int]) -> Int {
    var found = found
    while found > 0, bytes[found] != byte { found = borders[found] }
    return bytes[found] == byte ? found + 1 : 0
  }
}
