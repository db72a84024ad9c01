import Platform

/// The parameters of a field value, `; name=value; name="value"` (RFC 9110 §5.6.6, RFC 2045 §5.1), as in Content-Type,
/// Content-Disposition and Forwarded. The parameters of a request are `Parameters`.
///
/// As rack 3 does, it also takes white space around `;` and `=`, and values that are neither tokens nor quoted. A semicolon
/// may be missing where white space and another `name=` follow. In a quoted value, only a quotation mark that a parameter
/// can end with ends it, because some clients do not escape those of a file's name, and browsers no backslashes.
package struct FieldParameters {
  /// Parameters of one field. Clients send three; rack 3 has the same limit.
  private static let maxCount = 16

  private var values: [(name: [UInt8], value: [UInt8])] = []

  /// - Parameters:
  ///   - text: what follows the field's own value
  ///   - field: the name of the field, for messages
  ///   - offset: where the text begins in the body; nil if it is not of the body
  /// - Throws: for what is no parameter, and for a parameter that is given twice: two programs could each use another.
  package init(_ text: ArraySlice<UInt8>, of field: String, at offset: Int? = nil) throws(ParameterError) {
    var rest = text.drop(while: Self.isSeparator)
    while !rest.isEmpty {
      let place = offset.map { $0 + rest.startIndex - text.startIndex }
      guard let (nameBytes, start) = Self.name(in: rest), let end = Self.valueEnd(of: rest[start...]) else {
        throw ParameterError(
          message: "\(field) cannot be read from \"\(Self.excerpt(rest))\" on: its parameters have the form "
            + "; name=\"value\".",
          offset: place)
      }
      let name = nameBytes.map(\.asciiLowercased)
      guard self[name] == nil else {
        throw ParameterError(
          message: "\(field) has the parameter \"\(Self.excerpt(nameBytes))\" twice: send it once.",
          offset: place)
      }
      values.append((name, Self.unquoted(rest[start..<end], isFilename: name.elementsEqual("filename".utf8))))
      guard values.count <= Self.maxCount else {
        throw ParameterError(message: "\(field) has more than \(Self.maxCount) parameters.")
      }
      rest = rest[end...].drop(while: Self.isSeparator)
    }
  }

  /// The value of a parameter, without quotation marks and escapes; nil if it is not given.
  package subscript(name: some Sequence<UInt8>) -> ArraySlice<UInt8>? {
    values.first { $0.name.elementsEqual(name) }.map { $0.value[...] }
  }

  /// A name at the beginning of `text` and where its value begins; nil if there is no `name=`.
  private static func name(in text: ArraySlice<UInt8>) -> (name: ArraySlice<UInt8>, valueStart: Int)? {
    let name = text.prefix { !isSeparator($0) && $0 != UInt8(ascii: "=") && $0 != .quote }
    let equals = text[name.endIndex...].drop(while: \.isBlank)
    guard !name.isEmpty, equals.first == UInt8(ascii: "=") else { return nil }
    return (name, equals.dropFirst().drop(while: \.isBlank).startIndex)
  }

  /// Where the value at the beginning of `text` ends; nil if it has a quotation mark without another.
  private static func valueEnd(of text: ArraySlice<UInt8>) -> Int? {
    guard text.first == .quote else {
      let end = text.indices.first { index in
        // In a run of white space, what is true of its first character is true of all.
        text[index] == UInt8(ascii: ";") || text[index].isBlank && !text[index - 1].isBlank && isEnd(text[index...])
      }
      return text[..<(end ?? text.endIndex)].contains(.quote) ? nil : end ?? text.endIndex
    }
    var index = text.startIndex + 1
    while index < text.endIndex {
      if text[index] == .quote, isEnd(text[(index + 1)...]) { return index + 1 }
      guard text[index] == .backslash else {
        index += 1
        continue
      }
      let escaped = text[(index + 1)...]
      if escaped.first == .quote, isCertainEnd(escaped.dropFirst()) { return index + 2 }
      index += 2
    }
    return nil
  }

  /// Whether a quotation mark before `text` ends a value even after a backslash, as in `filename="C:\"`: browsers escape
  /// quotation marks in another way, and backslashes not at all (WHATWG HTML, "multipart/form-data encoding algorithm").
  /// Only the end of the field or a whole parameter can follow.
  private static func isCertainEnd(_ text: ArraySlice<UInt8>) -> Bool {
    let next = text.drop(while: \.isBlank)
    guard !next.isEmpty else { return true }
    guard next.first == UInt8(ascii: ";") else { return false }
    let parameter = next.drop(while: isSeparator)
    guard !parameter.isEmpty else { return true }
    guard let (_, start) = name(in: parameter) else { return false }
    let value = parameter[start...].prefix { $0 != UInt8(ascii: ";") }
    return value.first == .quote || !value.contains(.quote)
  }

  /// Whether a value can end before `text`: at the field's end, a semicolon, or white space before another parameter.
  private static func isEnd(_ text: ArraySlice<UInt8>) -> Bool {
    let next = text.drop(while: \.isBlank)
    guard let first = next.first, first != UInt8(ascii: ";") else { return true }
    return next.startIndex > text.startIndex && name(in: next) != nil
  }

  /// Without quotation marks, and without the backslashes that escape between them (RFC 9110 §5.6.4). In a file's name,
  /// only quotation marks are escaped, as in rack 3: other backslashes separate the folders of a path on Windows.
  private static func unquoted(_ value: ArraySlice<UInt8>, isFilename: Bool) -> [UInt8] {
    guard value.first == .quote else { return Array(value) }
    var result: [UInt8] = []
    var rest = value.dropFirst().dropLast()
    while var byte = rest.popFirst() {
      if byte == .backslash, let escaped = rest.popFirst() {
        if isFilename, escaped != .quote { result.append(byte) }
        byte = escaped
      }
      result.append(byte)
    }
    return result
  }

  private static func isSeparator(_ byte: UInt8) -> Bool { byte.isBlank || byte == UInt8(ascii: ";") }

  private static func excerpt(_ text: ArraySlice<UInt8>) -> String { String(printable: Array(text.prefix(32))) }
}
