import Platform

/// Decodes percent-encoded text (RFC 3986 §2.1) in forms, queries and paths. URIEncoding.swift in ObjectStorage
/// encodes.
package enum PercentEncoding {
  /// The bytes that `text` stands for: `%XX` is a byte, and `+` is a space in forms and queries.
  ///
  /// Throws if a `%` is not followed by two hexadecimal digits (as Ruby's `URI.decode_www_form_component`).
  ///
  /// - Parameter plus: what `+` is; itself in a path.
  package static func decode(
    _ text: ArraySlice<UInt8>, plus: UInt8 = UInt8(ascii: " ")
  ) throws(ParameterError) -> [UInt8] {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(text.count)
    var index = text.startIndex
    while index < text.endIndex {
      var byte = text[index]
      if byte == UInt8(ascii: "%") {
        guard let escaped = escapedByte(text, at: index) else {
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
  static func decodeFormText(_ text: ArraySlice<UInt8>) throws(ParameterError) -> String {
    guard let decoded = String(utf8: try decode(text)) else {
      throw ParameterError(message: "A parameter is not valid UTF-8: send text as UTF-8, percent-encoded.")
    }
    return decoded
  }

  /// Whether every `%` of `text` begins an escape.
  static func isWellFormed(_ text: ArraySlice<UInt8>) -> Bool {
    text.indices.allSatisfy { text[$0] != UInt8(ascii: "%") || escapedByte(text, at: $0) != nil }
  }

  private static func escapedByte(_ text: ArraySlice<UInt8>, at percent: Int) -> UInt8? {
    guard text.endIndex - percent >= 3,
      let high = Hex.value(of: text[percent + 1]), let low = Hex.value(of: text[percent + 2])
    else { return nil }
    return high << 4 | low
  }
}
