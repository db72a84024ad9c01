import HTTPMessages

/// A path in which each `*` stands for any number of characters, slashes included. `FaultRules` and
/// ExchangeFilter.swift compare the rest of a request.
struct PathPattern: Equatable {
  /// Longer than any path of the API.
  static let maxBytes = 1024

  /// The text between the stars.
  private let pieces: [[UInt8]]

  init(_ text: String) {
    pieces = text.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(Array.init)
  }

  /// Whether it matches one path only.
  var isExact: Bool { pieces.count == 1 }

  /// - Parameter path: the path as it was sent, without the query.
  func matches(_ path: ArraySlice<UInt8>) -> Bool {
    matches(exactly: path) || matches(exactly: Self.plain(path)[...])
  }

  /// Finds each piece as early as possible. That suffices, since text after a later occurrence is also after the first.
  private func matches(exactly path: ArraySlice<UInt8>) -> Bool {
    guard let first = pieces.first, let last = pieces.last, path.starts(with: first) else { return false }
    guard !isExact else { return path.count == first.count }
    var rest = path.dropFirst(first.count)
    guard rest.count >= last.count, rest.suffix(last.count).elementsEqual(last) else { return false }
    rest = rest.dropLast(last.count)
    for piece in pieces.dropFirst().dropLast() {
      if piece.isEmpty { continue }
      guard let start = rest.firstOccurrence(of: piece, from: rest.startIndex) else { return false }
      rest = rest[(start + piece.count)...]
    }
    return true
  }

  /// The usual spelling of a path: without doubled and trailing slashes, and without the format that the APIs of Selfie
  /// and Notes allow at the end.
  private static func plain(_ path: ArraySlice<UInt8>) -> [UInt8] {
    var pieces = path.split(separator: UInt8(ascii: "/"))
    if let last = pieces.last {
      let plain = last.prefix { $0 != UInt8(ascii: ".") }
      let first = pieces.count == 1 ? plain : pieces[0]
      let takesFormat = pieces.count == 2 && first.elementsEqual("api".utf8) || first.elementsEqual("notes".utf8)
      if takesFormat { pieces[pieces.count - 1] = plain }
    }
    return pieces.isEmpty ? [UInt8(ascii: "/")] : pieces.flatMap { [UInt8(ascii: "/")] + $0 }
  }
}
