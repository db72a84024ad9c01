/// The segments of a path, not decoded: Rails' router neither decodes `%5F` nor minds doubled and trailing slashes.
struct RequestPath {
  /// No route has more segments.
  private static let maxSegments = 4

  private let bytes: ArraySlice<UInt8>
  private var ranges = InlineArray<4, Range<Int>>(repeating: 0..<0)
  private(set) var count = 0
  /// The bytes of all segments.
  private(set) var length = 0
  /// The first dot of the last segment, if what follows it can be a format: it is not empty and has no dot itself.
  private var dot: Int?

  /// - Returns: nil for `*` and the like, and for a path that has more segments than any route.
  init?(_ path: ArraySlice<UInt8>) {
    guard path.first == UInt8(ascii: "/") else { return nil }
    bytes = path
    var index = path.startIndex
    while index < path.endIndex {
      guard path[index] != UInt8(ascii: "/") else {
        index += 1
        continue
      }
      guard count < Self.maxSegments else { return nil }
      let start = index
      while index < path.endIndex, path[index] != UInt8(ascii: "/") { index += 1 }
      ranges[count] = start..<index
      count += 1
      length += index - start
    }
    guard count > 0 else { return }
    let last = bytes[ranges[count - 1]]
    guard let first = last.firstIndex(of: UInt8(ascii: ".")), first + 1 < last.endIndex else { return }
    if !last[(first + 1)...].contains(UInt8(ascii: ".")) { dot = first }
  }

  /// The bytes of all segments without the format; nil if there is none.
  var lengthWithoutFormat: Int? {
    dot.map { length - (ranges[count - 1].upperBound - $0) }
  }

  /// - Parameter withoutFormat: for the last segment only.
  func segment(_ index: Int, withoutFormat: Bool = false) -> ArraySlice<UInt8> {
    let range = ranges[index]
    guard withoutFormat, let dot else { return bytes[range] }
    return bytes[range.lowerBound..<dot]
  }
}
