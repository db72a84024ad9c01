import Platform

// Decodes percent-encoded text (RFC 3986 §2.1) in forms, queries and paths. URIEncoding.swift in ObjectStorage encodes.
extension ArraySlice<UInt8> {
  /// The bytes that this text stands for: `%XX` is a byte, and `+` is a space in forms and queries.
  ///
  /// Throws if a `%` is not followed by two hexadecimal digits (as Ruby's `URI.decode_www_form_component`).
  ///
  /// - Parameter plus: what `+` is; itself in a path.
  package func percentDecoded(plus: UInt8 = UInt8(ascii: " ")) throws(ParameterError) -> [UInt8] {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(count)
    var index = startIndex
    while index < endIndex {
      var byte = self[index]
      if byte == UInt8(ascii: "%") {
        guard let escaped = escapedByte(at: index) else {
          throw ParameterError(
            message: "A parameter has a % that does not begin an escape: write a percent sign as %25.")
        }
        byte = escaped
        index += 2
      } else if byte == UInt8(ascii: "+") {
        byte = plus
      }
      decoded.append(byte)
      index += 1
    }
    return decoded
  }

  /// Decodes a name or a value of a form, as text. Throws if they are not UTF-8.
  func decodedFormText() throws(ParameterError) -> String {
    guard let decoded = String(utf8: try percentDecoded()) else {
      throw ParameterError(message: "A parameter is not valid UTF-8: send text as UTF-8, percent-encoded.")
    }
    return decoded
  }

  /// Whether every `%` begins an escape.
  var isPercentEncoded: Bool {
    indices.allSatisfy { self[$0] != UInt8(ascii: "%") || escapedByte(at: $0) != nil }
  }

  private func escapedByte(at percent: Int) -> UInt8? {
    guard endIndex - percent >= 3, let high = Hex.value(of: self[percent + 1]),
      let low = Hex.value(of: self[percent + 2])
    else { return nil }
    return high << 4 | low
  }
}
