import HTTPMessages
import Platform
import SelfieAPI
import SelfieTestDocuments

/// Passes on the body of a request while it is read, and records its parameters, but not the bytes of its files.
/// `SecretMask` masks the secrets in them, and `Journal` keeps them.
final class BodyRecorder: Sendable {
  /// How many bytes of text are recorded of a body. Clients send less than a thousand.
  static let maxBytes = 64 * 1024

  private let source: RequestBody
  private let state = Monitor(State())

  init(_ request: Request) {
    source = request.body
    state.withLock { $0.begin(request.head.fields[.contentType]) }
  }

  /// The next bytes of the body, which are recorded.
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
  func recorded(_ mask: SecretMask) -> Exchange.Body {
    state.withLock { state in
      let isComplete = state.hasEnded || state.byteCount == source.length
      let parameters = state.finish(isComplete: isComplete)
      if !isComplete {
        state.problem = ["It was not read completely.", state.problem].compactMap(\.self).joined(separator: " ")
      }
      var body = Exchange.Body()
      body.parameters = mask.parameters(parameters).mapValues(JSONValue.init)
      (body.byteCount, body.complete, body.problem) = (state.byteCount, isComplete, state.problem.map(mask.text))
      body.excerpt = state.mistake.flatMap { Exchange.Excerpt(of: state.text, at: $0, mask) }
      return body
    }
  }

  private struct State {
    private var kind = BodyKind.none
    private(set) var byteCount = 0
    /// Whether the end, or the closing boundary, was read.
    private(set) var hasEnded = false
    /// Why the record is not complete.
    var problem: String?
    /// The byte of a JSON body at which it could not be read.
    private(set) var mistake: Int?
    /// The beginning of a JSON or form body.
    private(set) var text: [UInt8] = []

    private var parser: MultipartParser?
    private var form = MultipartForm()
    /// Of the part that is being read.
    private var kindOfPart = PartHead.Kind.dropped
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
          problem = Self.message(of: error)
        }
      case .none: break
      }
    }

    /// - Returns: the parameters of the body, and of a multipart body also the part in which it broke off.
    mutating func finish(isComplete: Bool) -> [String: ParameterValue] {
      do {
        switch kind {
        case .json, .form:
          guard text.count == byteCount else {
            throw ParameterError(message: "It has more than the \(maxBytes) bytes that are recorded.")
          }
          return kind == .json
            ? try JSONReader.parameters(fromJSONBody: text) : try FormParameters.parse(body: text[...])
        case .multipart:
          if textBytes <= maxBytes { try form.end() }
          if isComplete && problem == nil { try parser?.finish() }
        case .none: break
        }
      } catch {
        problem = problem ?? Self.message(of: error)
        mistake = (error as? ParameterError)?.offset
      }
      return form.values
    }

    private static func message(of error: any Error) -> String {
      (error as? ParameterError)?.message ?? (error as? APIError)?.message ?? "\(error)"
    }

    private mutating func takeParts(_ bytes: [UInt8]) throws {
      parser?.append(bytes)
      while let event = try parser?.next() {
        switch event {
        case .part(let head):
          form.begin(head)
          kindOfPart = head.kind
          if case .file(let filename?) = head.kind { try count(filename.utf8.count) }
          try count(head.name?.utf8.count ?? 0)
        case .data(let data):
          if kindOfPart == .field { try count(data.count) }
          try form.append(data)
        case .partEnd: try form.end()
        case .needsMore: return
        case .end:
          hasEnded = true
          return
        }
      }
    }

    private mutating func count(_ bytes: Int) throws(ParameterError) {
      textBytes += bytes
      guard textBytes <= maxBytes else {
        throw ParameterError(message: "It has more than the \(maxBytes) bytes of text that are noted.")
      }
    }
  }
}
