import HTTPMessages
import Platform
import SelfieAPI

/// Passes on the body of a request while it is read, and records its parameters, but not the bytes of its files.
final class BodyRecorder: RequestBody.Source {
  /// How many bytes of text are recorded of a body. Clients send less than a thousand.
  static let maxBytes = 64 * 1024

  private let source: RequestBody
  private let state = Monitor(State())

  init(_ request: Request) {
    source = request.body
    state.withLock { $0.begin(request.head.fields[.contentType]) }
  }

  /// The body to be read in place of the request's.
  var body: RequestBody { RequestBody(length: source.length, source: self, memory: source.memory) }

  func next() async throws(BodyError) -> [UInt8]? {
    let bytes: [UInt8]?
    do {
      bytes = try await source.next()
    } catch {
      state.withLock { $0.problem = "It was cut off: \(error)." }
      throw error
    }
    state.withLock { $0.take(bytes) }
    return bytes
  }

  /// The part of the body that was read.
  func recorded(_ mask: SecretMask) -> RecordedBody {
    state.withLock { state in
      let isComplete = state.hasEnded || state.byteCount == source.length
      let parameters = state.finish(isComplete: isComplete)
      if !isComplete {
        state.problem = ["It was not read completely.", state.problem].compactMap(\.self).joined(separator: " ")
      }
      return RecordedBody(
        parameters: mask.parameters(parameters), byteCount: state.byteCount, isComplete: isComplete,
        problem: state.problem.map(mask.text))
    }
  }

  private struct State {
    private var kind = BodyKind.none
    private(set) var byteCount = 0
    /// Whether the end, or the closing boundary, was read.
    private(set) var hasEnded = false
    /// Why the record is not complete.
    var problem: String?
    /// The beginning of a JSON or form body, or of a multipart body's file that is being read, or the whole field.
    private var text: [UInt8] = []

    private var parser: MultipartParser?
    private var parts = NestedParameters()
    private var part: PartHead?
    private var fileByteCount = 0
    private var textBytes = 0

    mutating func begin(_ contentType: ArraySlice<UInt8>?) {
      do {
        kind = try BodyKind(contentType: contentType)
        if case .multipart(let boundary) = kind { parser = MultipartParser(boundary: boundary) }
        if kind == .none { problem = "A body of this Content-Type has no parameters." }
      } catch {
        problem = error.message
      }
    }

    /// - Parameter bytes: nil at the end.
    mutating func take(_ bytes: [UInt8]?) {
      guard let bytes else {
        hasEnded = true
        return
      }
      byteCount += bytes.count
      switch kind {
      case .json, .form: text += bytes.prefix(maxBytes - text.count)
      case .multipart:
        guard problem == nil else { return }
        do {
          try takeParts(bytes)
        } catch {
          problem = error.message
        }
      case .none: break
      }
    }

    /// - Returns: the parameters of the body, and of a multipart body also the part in which it broke off.
    mutating func finish(isComplete: Bool) -> [String: ParameterValue] {
      do throws(ParameterError) {
        switch kind {
        case .json, .form:
          guard text.count == byteCount else {
            throw ParameterError(message: "It has more than the \(maxBytes) bytes that are recorded.")
          }
          return kind == .json
            ? try JSONReader.parameters(fromJSONBody: text) : try FormParameters.parse(body: text[...])
        case .multipart:
          let lastPart = Result { () throws(ParameterError) in try endPart() }
          if isComplete && problem == nil { try parser?.finish() }
          try lastPart.get()
        case .none: break
        }
      } catch {
        problem = problem ?? error.message
      }
      return parts.values
    }

    private mutating func takeParts(_ bytes: [UInt8]) throws(ParameterError) {
      parser?.append(bytes)
      while let event = try parser?.next() {
        switch event {
        case .part(let head):
          part = head
          (text, fileByteCount) = ([], 0)
          if case .file(let filename?) = head.kind { try count(filename.utf8.count) }
          try count(head.name?.utf8.count ?? 0)
        case .data(let data):
          switch part?.kind {
          case .field?:
            try count(data.count)
            text += data
          case .file?:
            fileByteCount += data.count
            text += data.prefix(ContentType.neededBytes - text.count)
          case .dropped?, nil: break
          }
        case .partEnd: try endPart()
        case .needsMore: return
        case .end:
          hasEnded = true
          return
        }
      }
    }

    private mutating func endPart() throws(ParameterError) {
      defer { part = nil }
      guard let part, let name = part.name else { return }
      switch part.kind {
      case .field: try parts.add(.string(String(decoding: text, as: UTF8.self)), named: name)
      case .file(let filename):
        let type = ContentType(beginning: text).name
        let file = FilePart(filename: filename, byteCount: fileByteCount, contentType: type)
        try parts.add(.file(file), named: name)
      case .dropped: break
      }
    }

    private mutating func count(_ bytes: Int) throws(ParameterError) {
      textBytes += bytes
      guard textBytes <= maxBytes else {
        part = nil
        throw ParameterError(message: "It has more than the \(maxBytes) bytes of text that are recorded.")
      }
    }
  }
}
