import Platform

/// The head of a multipart part: the parameter it is for, and whether it is a file. `MultipartParser` finds where the
/// part begins and ends.
package struct PartHead: Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    case field
    /// A file with its base name, which is nil if the client sent only path separators.
    case file(filename: String?)
    /// A file whose name cannot be read. Only who needs the file refuses it.
    case misnamed(ParameterError)
    /// A file field without a chosen file (`filename=""`), which counts as absent.
    case dropped
  }

  /// The parameter's name as in the form (`a[b]` stays whole); nil if the part has none, and is ignored. Bytes that are
  /// not UTF-8 are replaced, so no endpoint knows such a name.
  package let name: String?
  package let kind: Kind
  /// Whether there is a field Content-Disposition.
  package let hasDisposition: Bool
  /// The name of another field that was probably meant to be that.
  package let misspeltDisposition: String?

  init(name: String?, kind: Kind, hasDisposition: Bool = true, misspeltDisposition: String? = nil) {
    self.name = name
    self.kind = kind
    self.hasDisposition = hasDisposition
    self.misspeltDisposition = misspeltDisposition
  }
}

extension PartHead {
  /// Parses the fields of a head (RFC 7578 §4.2), each with its CR LF.
  ///
  /// - Parameter offset: where the head begins in the body.
  /// - Throws: for a head that programs could understand differently.
  package init(_ head: ArraySlice<UInt8>, at offset: Int = 0) throws(ParameterError) {
    let fields = try Self.fields(of: head, at: offset)
    let dispositions = fields.filter { $0.name.equalsIgnoringCase("content-disposition") }
    guard dispositions.count < 2 else {
      throw ParameterError(
        message: "A multipart part has the field Content-Disposition twice: send it once.",
        offset: dispositions[1].offset)
    }
    hasDisposition = !dispositions.isEmpty
    misspeltDisposition = dispositions.isEmpty ? Self.misspelling(in: fields.map(\.name)) : nil
    let parameters = try Self.parameters(of: dispositions.first)
    let contentID = fields.first { $0.name.equalsIgnoringCase("content-id") }?.value
    name = (parameters["name".utf8] ?? contentID).map(Self.name)

    do throws(ParameterError) {
      kind = try Self.kind(filename: parameters["filename".utf8], extended: parameters["filename*".utf8])
    } catch {
      kind = .misnamed(dispositions.first.map { error.at($0.offset) } ?? error)
    }
  }

  /// A name that differs in three letters at most.
  private static func misspelling(in names: [ArraySlice<UInt8>]) -> String? {
    names.prefix(8).lazy.filter { $0.count < 24 }.map { String(decoding: $0, as: UTF8.self) }
      .first { $0.lowercased().distance(to: "content-disposition") <= 3 }
  }

  /// The name as text. To repair what is not UTF-8 as Swift does would take a microsecond a byte.
  private static func name(_ bytes: ArraySlice<UInt8>) -> String {
    String(utf8: bytes) ?? String(decoding: bytes.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
  }

  private static func kind(
    filename: ArraySlice<UInt8>?, extended: ArraySlice<UInt8>?
  ) throws(ParameterError) -> Kind {
    guard filename != nil || extended != nil else { return .field }
    var name: [UInt8] = []
    if let extended, filename.map(isReplaced) ?? true {
      name = try decodedExtended(extended)
    } else if let filename {
      name = try decoded(filename)
    }
    return name.isEmpty ? .dropped : .file(filename: try baseName(name))
  }

  /// A field, or a line that should be one.
  private struct Field {
    /// Those of all lines of the field, without their line ends.
    var bytes: [UInt8]
    /// Where it begins in the body.
    let offset: Int
    /// The index of its colon.
    var colon = 0

    var name: ArraySlice<UInt8> { bytes[..<colon].trimmed }
    var value: ArraySlice<UInt8> { bytes[(colon + 1)...].trimmed }
  }

  /// The fields, those that are folded as one line each (RFC 5322 §2.2.3).
  private static func fields(of head: ArraySlice<UInt8>, at offset: Int) throws(ParameterError) -> [Field] {
    var fields: [Field] = []
    for line in head.split(separator: .lineFeed) {
      let content = line.dropLast()
      // Browsers send other control characters as they are.
      guard line.last == .carriageReturn, !content.contains(.carriageReturn) else {
        throw ParameterError(
          message: "The head of a multipart part has a line that does not end in CR LF.",
          offset: offset + (line.firstIndex(of: .carriageReturn) ?? line.endIndex) - head.startIndex)
      }
      if content.first?.isBlank == true, !fields.isEmpty {
        fields[fields.count - 1].bytes += content
      } else {
        fields.append(Field(bytes: Array(content), offset: offset + line.startIndex - head.startIndex))
      }
    }
    return try fields.map { field throws(ParameterError) in
      guard field.bytes.first?.isBlank == false, let colon = field.bytes.firstIndex(of: UInt8(ascii: ":")) else {
        throw ParameterError(
          message:
            "The head of a multipart part has a line that is not a field such as Content-Disposition: form-data; "
            + "name=\"title\". An empty line ends the head.", offset: field.offset)
      }
      return Field(bytes: field.bytes, offset: field.offset, colon: colon)
    }
  }

  /// The parameters of a Content-Disposition. In a folded one, a mistake is found two bytes earlier for each line end.
  private static func parameters(of disposition: Field?) throws(ParameterError) -> FieldParameters {
    let value = disposition?.value ?? []
    let text = value.drop { !$0.isBlank && $0 != UInt8(ascii: ";") }
    return try FieldParameters(
      text, of: "Content-Disposition", at: disposition.map { $0.offset + text.startIndex })
  }

  /// Whether the client sends the name in `filename*`, too: this one is empty, or an encoded word (RFC 2047), as .NET
  /// makes it.
  private static func isReplaced(_ filename: ArraySlice<UInt8>) -> Bool {
    filename.isEmpty || filename.starts(with: "=?".utf8) && filename.suffix(2).elementsEqual("?=".utf8)
  }

  /// A name with the escapes that browsers write for quotation marks and line ends (RFC 7578 §4.2). A `%` elsewhere is
  /// one.
  private static func decoded(_ filename: ArraySlice<UInt8>) throws(ParameterError) -> [UInt8] {
    filename.isPercentEncoded ? try filename.percentDecoded(plus: UInt8(ascii: "+")) : Array(filename)
  }

  /// The name in `UTF-8'en'na%C3%AFve.jpg` (RFC 8187 §3.2.1).
  private static func decodedExtended(_ value: ArraySlice<UInt8>) throws(ParameterError) -> [UInt8] {
    let parts = value.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
    if parts.count == 3, parts[0].equalsIgnoringCase("utf-8") { return try decoded(parts[2]) }
    if parts.count == 3, parts[0].equalsIgnoringCase("iso-8859-1") {
      return Array(String(try decoded(parts[2]).map { Character(Unicode.Scalar($0)) }).utf8)
    }
    throw ParameterError(message: "filename* of a multipart part must have the form UTF-8''name, or ISO-8859-1''name.")
  }

  /// The last part of a path of any system, as in rack.
  private static func baseName(_ path: [UInt8]) throws(ParameterError) -> String? {
    guard let text = String(utf8: path) else {
      throw ParameterError(message: "The name of an uploaded file is not valid UTF-8: send it as UTF-8.")
    }
    return text.utf8.split { $0 == UInt8(ascii: "/") || $0 == .backslash }.last.map { String(Substring($0)) }
  }
}
