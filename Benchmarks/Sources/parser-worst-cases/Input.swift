/// An input for a parser, in any size.
struct Input {
  enum Place {
    /// A body of up to a megabyte.
    case body
    /// A field of up to 32 KiB.
    case field
    /// A request target of up to 8 KiB.
    case target
    /// A body that is short enough to be parsed by the event loop.
    case shortBody
    /// The head of a part of a multipart body.
    case part

    /// The sizes, in bytes, at which inputs are compared.
    var sizes: (small: Int, large: Int) {
      switch self {
      case .body: (128 * 1024, 1000 * 1024)
      case .field: (6 * 1024, 30 * 1024)
      case .target: (2 * 1024, 7 * 1024)
      case .shortBody: (2 * 1024, 4000)
      case .part: (2 * 1024, 7800)
      }
    }
  }

  let name: String
  let place: Place
  /// The whole request, whose hostile part has that many bytes.
  let request: (_ size: Int) -> [UInt8]
}
