import HTTPClient

/// A range of an object that was asked for, and what came of it.
enum PartialContent {
  /// The value of `Range` for a range that is not empty.
  static func field(for range: Range<Int64>) -> (name: String, value: String) {
    (name: "Range", value: "bytes=\(range.lowerBound)-\(range.upperBound - 1)")
  }

  /// - Throws: `ObjectStoreError.malformedResponse` for anything but exactly the range.
  static func bytes(of response: ClientResponse, _ range: Range<Int64>) throws(ObjectStoreError) -> [UInt8] {
    if let encoding = response["content-encoding"], encoding.lowercased() != "identity" {
      throw .malformedResponse("its Content-Encoding is \(encoding)")
    }
    let isRange =
      switch response.status {
      case 206: response["content-range"]?.hasPrefix("bytes \(range.lowerBound)-\(range.upperBound - 1)/") == true
      // Without a range it is the whole object, which is as good if it begins and ends where the range does.
      case 200: range.lowerBound == 0
      default: false
      }
    guard isRange, response.body.count == range.count else {
      throw .malformedResponse("status \(response.status) with \(response.body.count) of \(range.count) bytes")
    }
    return response.body
  }
}
