/// Reads query strings and `application/x-www-form-urlencoded` bodies as rack 1.5.2's `parse_nested_query` did.
/// `MultipartParser` reads multipart bodies.
package enum FormParameters {
  /// The parameters of a query string (without its `?`), nested by their names.
  ///
  /// Throws for a broken escape, text that is not UTF-8, names that contradict each other, or more than the limits of
  /// `NestedParameters` allow.
  package static func parse(query: ArraySlice<UInt8>) throws(ParameterError) -> [String: ParameterValue] {
    var parameters = NestedParameters()
    var rest = query
    while !rest.isEmpty {
      let piece = rest.prefix { !isSeparator($0) }
      // rack's DEFAULT_SEP = /[&;] */n
      rest = rest[piece.endIndex...].dropFirst().drop { $0 == UInt8(ascii: " ") }
      try add(piece, to: &parameters)
    }
    return parameters.values
  }

  /// The parameters of a form body: a query string that may end in a NUL, which is dropped
  /// (rack: "Fix for Safari Ajax postings that always append \0").
  package static func parse(body: ArraySlice<UInt8>) throws(ParameterError) -> [String: ParameterValue] {
    try parse(query: body.last == 0 ? body.dropLast() : body)
  }

  private static func isSeparator(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "&") || byte == UInt8(ascii: ";")
  }

  private static func add(_ piece: ArraySlice<UInt8>, to parameters: inout NestedParameters) throws(ParameterError) {
    guard !piece.isEmpty else { return }
    guard let equals = piece.firstIndex(of: UInt8(ascii: "=")) else {
      return try parameters.add(.null, named: PercentEncoding.decodeFormText(piece))
    }
    let name = try PercentEncoding.decodeFormText(piece[..<equals])
    let value = try PercentEncoding.decodeFormText(piece[(equals + 1)...])
    try parameters.add(.string(value), named: name)
  }
}
