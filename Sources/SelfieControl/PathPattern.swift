/// A path, in which each `*` stands for any characters, slashes included, or none.
struct PathPattern {
  private let bytes: [UInt8]

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  /// - Parameter path: as it was sent, without the query.
  func matches(_ path: ArraySlice<UInt8>) -> Bool {
    matches(exactly: path) || matches(exactly: Self.plain(path)[...])
  }

  /// Goes back to the last `*` only, which is enough: what an earlier one could take, the last one can.
  private func matches(exactly path: ArraySlice<UInt8>) -> Bool {
    let star = UInt8(ascii: "*")
    var (index, position) = (0, path.startIndex)
    var retry: (index: Int, position: Int)?
    while position < path.endIndex {
      if index < bytes.count, bytes[index] == star {
        index += 1
        retry = (index, position)
      } else if index < bytes.count, bytes[index] == path[position] {
        index += 1
        position += 1
      } else if let last = retry {
        (index, position) = (last.index, last.position + 1)
        retry = (index, position)
      } else {
        return false
      }
    }
    return bytes[index...].allSatisfy { $0 == star }
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
