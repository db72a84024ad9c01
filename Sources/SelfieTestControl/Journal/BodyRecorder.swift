import HTTPMessages
import Platform

/// Passes on the body of a request while it is read, and records its parameters, but not the bytes of its files.
final class BodyRecorder: RequestBody.Source {
  /// How many bytes of text are recorded of a body. Clients send less than a thousand.
  static let maxBytes = 64 * 1024

  private let source: RequestBody
  private let state: Monitor<State>

  fileprivate struct State {
    let kind: BodyKind
    /// The beginning of a JSON or form body.
    var text: [UInt8] = []
    /// The parts of a multipart body.
    var form: FormRecorder?
    var byteCount = 0
    var hasEnded = false
    var problem: String?
  }

  init(_ request: Request) {
    source = request.body
    let state: State
    do {
      let kind = try BodyKind(contentType: request.head.fields[.contentType])
      switch kind {
      case .json, .form: state = State(kind: kind)
      case .multipart(let boundary): state = State(kind: kind, form: FormRecorder(boundary: boundary))
      case .none: state = State(kind: kind, problem: "A body of this Content-Type has no parameters.")
      }
    } catch {
      state = State(kind: .none, problem: error.message)
    }
    self.state = Monitor(state)
  }

  /// The body to be read in place of the request's.
  var body: RequestBody { RequestBody(length: source.length, source: self, memory: source.memory) }

  func next() async throws(BodyError) -> [UInt8]? {
    let bytes: [UInt8]?
    do {
      bytes = try await source.next()
    } catch {
      state.withLock { $0.problem = "It broke off: \(error)." }
      throw error
    }
    state.withLock { $0.take(bytes) }
    return bytes
  }

  /// The part of the body that was read.
  func recorded(_ mask: SecretMask) -> RecordedBody {
    state.withLock { state in
      var parameters: [String: ParameterValue] = [:]
      do throws(ParameterError) {
        parameters = try state.parameters(length: source.length)
      } catch {
        state.problem = state.problem ?? error.message
      }
      let isComplete = state.isComplete(length: source.length)
      if !isComplete {
        state.problem =
          state.problem.map { "It was not read to its end. \($0)" } ?? "It was not read to its end."
      }
      return RecordedBody(
        parameters: mask.parameters(parameters), byteCount: state.byteCount, isComplete: isComplete,
        problem: state.problem.map(mask.text))
    }
  }
}

extension BodyRecorder.State {
  fileprivate mutating func take(_ bytes: [UInt8]?) {
    guard let bytes else {
      hasEnded = true
      return
    }
    byteCount += bytes.count
    switch kind {
    case .json, .form: text += bytes.prefix(BodyRecorder.maxBytes - text.count)
    case .multipart: form?.take(bytes)
    case .none: break
    }
  }

  fileprivate func isComplete(length: Int?) -> Bool {
    hasEnded || byteCount == length || form?.isOver == true
  }

  fileprivate mutating func parameters(length: Int?) throws(ParameterError) -> [String: ParameterValue] {
    switch kind {
    case .json:
      try checkWhole()
      return try JSONReader.parameters(fromJSONBody: text)
    case .form:
      try checkWhole()
      return try FormParameters.parse(body: text[...])
    case .multipart:
      let isWhole = isComplete(length: length)
      form?.finish(isWhole: isWhole)
      problem = problem ?? form?.problem
      return form?.parameters ?? [:]
    case .none: return [:]
    }
  }

  private func checkWhole() throws(ParameterError) {
    guard text.count == byteCount else {
      throw ParameterError(message: "It has more than the \(BodyRecorder.maxBytes) bytes that are noted.")
    }
  }
}
