package import HTTPMessages
import Platform

/// Collects the parts of a multipart body as parameters. Of files it keeps only names, sizes and types.
/// `MultipartParser` in HTTPMessages finds the parts, and UploadPhoto.swift stores the photo of an upload.
package struct MultipartForm {
  private var parameters = FormParameters()
  private var part: PartHead?
  /// A text, or the beginning of a file.
  private var text: [UInt8] = []
  private var fileBytes = 0
  /// Bytes of the names and texts so far, those of files' names among them.
  private(set) var byteCount = 0
  /// Parts that are not parameters, or not such as their clients meant, each as a sentence for a refusal.
  private(set) var findings: [PartFinding] = []

  package init() {}

  package var values: [String: ParameterValue] { parameters.values }

  /// The parameters so far, with the part that is being read.
  var begunValues: [String: ParameterValue] {
    var form = self
    try? form.end()
    return form.values
  }

  /// About the memory of what was read so far, in bytes: names and texts, each in an array or as a parameter of up to
  /// twice its size, and the levels of names.
  var memory: Int { 2 * byteCount + FormParameters.bytesPerLevel * parameters.levelCount }

  /// The parameters in a whole body.
  static func parse(_ bytes: [UInt8], boundary: [UInt8]) throws -> [String: ParameterValue] {
    var parser = MultipartParser(boundary: boundary)
    var form = MultipartForm()
    parser.append(bytes)
    while true {
      switch try parser.next() {
      case .part(let head): form.begin(head)
      case .data(let data): try form.append(data)
      case .partEnd: try form.end()
      case .needsMore, .end:
        try parser.finish()
        return form.values
      }
    }
  }

  package mutating func begin(_ head: PartHead) {
    part = head
    (text, fileBytes) = ([], 0)
    byteCount += Self.partBytes + (head.name?.utf8.count ?? 0)
    if case .file(let filename?) = head.kind { byteCount += filename.utf8.count }
    if let finding = PartFinding(about: head) { findings.append(finding) }
  }

  /// The memory for a part besides its texts: its place in a dictionary.
  private static let partBytes = 256

  package mutating func append(_ data: ArraySlice<UInt8>) throws {
    switch part?.kind {
    case .field?:
      guard text.count + data.count <= RequestLimits.maxTextBytes else {
        throw APIError(
          .contentTooLarge, "A text part of the multipart body is longer than \(RequestLimits.maxTextBytes) bytes.",
          detail: part?.name.map {
            "the part \($0.quotedName) has no filename, so it is a text, of more than \(RequestLimits.maxTextBytes) "
              + "bytes; a file's part needs a filename"
          })
      }
      byteCount += data.count
      guard byteCount <= RequestLimits.maxBytesBesidePhoto else {
        throw APIError(
          .contentTooLarge,
          "The multipart body has more than \(RequestLimits.maxBytesBesidePhoto) bytes of texts.")
      }
      text += data
    case .file?, .misnamed?:
      fileBytes += data.count
      text += data.prefix(ContentType.neededBytes - text.count)
    case .dropped?, nil: break
    }
  }

  package mutating func end() throws {
    defer { part = nil }
    guard let part, let name = part.name else { return }
    switch part.kind {
    case .field:
      let text = String(utf8: text)
      try parameters.add(text.map(ParameterValue.string) ?? .undecodable, named: name)
      guard text == nil else { return }
      findings.append(
        PartFinding(
          part: nil,
          text: "the part \(name.quotedName) has no filename and is not UTF-8; a file's part needs a filename"))
    case .file(let filename):
      let type = ContentType(beginning: text).name
      try parameters.add(.file(filename: filename, byteCount: fileBytes, contentType: type), named: name)
    case .misnamed:
      try parameters.add(.file(filename: nil, byteCount: fileBytes), named: name)
    case .dropped: break
    }
  }
}

/// What is wrong with a part of a multipart body, for the detail of a refusal.
struct PartFinding: Equatable {
  /// The name of the part, if that is why it is no parameter.
  let part: String?
  let text: String

  init(part: String?, text: String) {
    self.part = part
    self.text = text
  }

  /// Nil for a part that is a parameter.
  init?(about head: PartHead) {
    switch (head.name, head.kind) {
    case (let name?, _) where Array(name.utf8.prefix(64))[...].hasCurlyQuote:
      self.init(part: nil, text: "the name of a part has curly quotation marks; expected straight ones (\")")
    case (let name?, .dropped): self.init(part: name, text: "the part \(name.quotedName) has an empty filename")
    case (nil, _) where !head.hasDisposition:
      let similar = head.misspeltDisposition.map { "; it has \($0)" } ?? ""
      self.init(part: nil, text: "a part has no Content-Disposition\(similar)")
    case (nil, .field): self.init(part: nil, text: "a part has no name in its Content-Disposition")
    case (nil, _): self.init(part: nil, text: "a part with a filename has no name")
    default: return nil
    }
  }
}
