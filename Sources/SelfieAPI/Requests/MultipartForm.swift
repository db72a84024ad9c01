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
  /// Bytes of the names and texts so far.
  private var byteCount = 0

  package init() {}

  package var values: [String: ParameterValue] { parameters.values }

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
    byteCount += head.name?.utf8.count ?? 0
  }

  package mutating func append(_ data: ArraySlice<UInt8>) throws {
    switch part?.kind {
    case .field?:
      guard text.count + data.count <= RequestLimits.maxTextBytes else {
        throw APIError(
          .contentTooLarge, "A text part of the multipart body is longer than \(RequestLimits.maxTextBytes) bytes.")
      }
      byteCount += data.count
      guard byteCount <= RequestLimits.maxBytesBesidePhoto else {
        throw APIError(
          .contentTooLarge,
          "The multipart body has more than \(RequestLimits.maxBytesBesidePhoto) bytes of texts.")
      }
      text += data
    case .file?:
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
      guard let text = String(utf8: text) else {
        throw APIError(.badRequest, "The multipart field \(name) is not valid UTF-8.")
      }
      try parameters.add(.string(text), named: name)
    case .file(let filename):
      let type = ContentType(beginning: text).name
      try parameters.add(.file(filename: filename, byteCount: fileBytes, contentType: type), named: name)
    case .dropped: break
    }
  }
}
