import HTTPMessages
import SelfieAPI

/// Records the fields of a multipart body, and the names, sizes and types of its files, as far as the body is read.
struct FormRecorder {
  private var parser: MultipartParser
  private var nested = NestedParameters()
  private var part: PartHead?
  private var text: [UInt8] = []
  private var fileByteCount = 0
  private var fileBeginning: [UInt8] = []
  private var textBytes = 0
  /// Whether the closing boundary was read.
  private(set) var isOver = false
  /// Why the record is not complete.
  private(set) var problem: String?

  var parameters: [String: ParameterValue] { nested.values }

  init(boundary: [UInt8]) {
    parser = MultipartParser(boundary: boundary)
  }

  mutating func take(_ bytes: [UInt8]) {
    guard problem == nil, !isOver else { return }
    parser.append(bytes)
    do {
      while try takeNext() {}
    } catch {
      problem = error.message
    }
  }

  /// Records the part in which the body broke off.
  ///
  /// - Parameter isWhole: whether the whole body was read.
  mutating func finish(isWhole: Bool) {
    do {
      if isWhole && problem == nil { try parser.finish() }
    } catch {
      problem = error.message
    }
    do {
      try endPart()
    } catch {
      problem = problem ?? error.message
    }
  }

  /// False when there is nothing more for now.
  private mutating func takeNext() throws(ParameterError) -> Bool {
    switch try parser.next() {
    case .part(let head):
      part = head
      (text, fileByteCount, fileBeginning) = ([], 0, [])
      if case .file(let filename?) = head.kind { try count(filename.utf8.count) }
      try count(head.name?.utf8.count ?? 0)
    case .data(let data):
      switch part?.kind {
      case .field?:
        try count(data.count)
        text += data
      case .file?:
        fileByteCount += data.count
        fileBeginning += data.prefix(ContentType.neededBytes - fileBeginning.count)
      case .dropped?, nil: break
      }
    case .partEnd: try endPart()
    case .needsMore: return false
    case .end:
      isOver = true
      return false
    }
    return true
  }

  private mutating func endPart() throws(ParameterError) {
    defer { part = nil }
    guard let part, let name = part.name else { return }
    switch part.kind {
    case .field: try nested.add(.string(String(decoding: text, as: UTF8.self)), named: name)
    case .file(let filename):
      let type = ContentType(beginning: fileBeginning).name
      try nested.add(
        .file(FilePart(filename: filename, byteCount: fileByteCount, contentType: type)), named: name)
    case .dropped: break
    }
  }

  private mutating func count(_ bytes: Int) throws(ParameterError) {
    textBytes += bytes
    guard textBytes <= BodyRecorder.maxBytes else {
      part = nil
      throw ParameterError(message: "It has more than the \(BodyRecorder.maxBytes) bytes of text that are noted.")
    }
  }
}
