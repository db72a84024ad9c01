import Platform

// Decodes percent-encoded text (RFC 3986 §2.1) in forms, queries and paths. URIEncoding.swift in ObjectStorage encodes.
extension ArraySlice<UInt8> {
  /// The bytes that this text stands for: `%XX` is a byte, and `+` is a space in forms and queries.
  ///
  /// Throws if a `%` is not followed by two hexadecimal digits (as Ruby's `URI.decode_www_form_component`). The error's
  /// offset is the index of the `%`.
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
            message: "A parameter has a % that does not begin an escape: write a percent sign as %25.",
            detail: "a % without two hexadecimal digits after it (a percent sign is sent as %25)", offset: index)
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

  /// Decodes a name or a value of a form, as text. Throws if they are not UTF-8. The error's offset is the index of the
  /// byte that is wrong, or of its escape.
  func decodedFormText() throws(ParameterError) -> String {
    let decoded = try percentDecoded()
    guard let text = String(utf8: decoded) else {
      throw ParameterError(
        message: "A parameter is not valid UTF-8: send text as UTF-8, percent-encoded.",
        detail: "a byte that is not UTF-8 (text is sent as UTF-8, percent-encoded)",
        offset: index(ofDecoded: decoded.firstInvalidUTF8))
    }
    return text
  }

  /// The index of the byte, or of the escape, that is decoded to the byte of this number.
  private func index(ofDecoded number: Int) -> Int {
    var index = startIndex
    for _ in 0..<number { index += self[index] == UInt8(ascii: "%") ? 3 : 1 }
    return index
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

extension [UInt8] {
  /// The index of the first byte that belongs to no UTF-8 character; the count if all do.
  fileprivate var firstInvalidUTF8: Int {
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: span)
      return count
    } catch {
      return error.byteOffsets.lowerBound
    }
  }
}
