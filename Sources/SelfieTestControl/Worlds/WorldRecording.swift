import HTTPMessages
import SelfieAPI

extension World {
  /// Responds to a request and records the exchange in the journal, even when the client has disconnected.
  ///
  /// - Parameter respond: receives the request with a body that is recorded while it is read, and returns the response
  ///   and the fault in it.
  func record(
    _ request: Request, respond: (Request) async -> (response: Response, fault: FaultRules.ID?)
  ) async -> Response {
    let (period, time, start) = (journal.period, clock.now, ContinuousClock.now)
    let token = RecordedToken(of: request, in: database, now: time)
    let recorder = request.body.isEmpty ? nil : BodyRecorder(request)
    let (response, fault) = await respond(
      recorder.map { Request(head: request.head, body: $0.body, peer: request.peer, context: request.context) }
        ?? request)
    let mask = SecretMask(for: request, application)
    let (query, queryProblem) = Self.query(of: request)
    let isSent = response.transportFault != .dropped
    let exchange = Exchange(
      time: time, duration: ContinuousClock.now - start, peer: request.peer,
      method: mask.text(String(decoding: request.head.methodName, as: UTF8.self)),
      path: Self.path(of: request, mask), query: mask.parameters(query),
      queryProblem: queryProblem.map(mask.text), fields: request.head.fields.pairs.map(mask.field),
      body: recorder?.recorded(mask) ?? .none, status: isSent ? response.status.code : nil,
      error: isSent ? response.fields["X-Error"] : nil,
      message: isSent ? response.message.map(mask.text) : nil, fault: fault, token: token)
    journal.add(exchange, begunIn: period)
    return response
  }

  /// As much of the path as a filter can match.
  private static func path(of request: Request, _ mask: SecretMask) -> String {
    let path = mask.text(String(decoding: request.head.path, as: UTF8.self))
    guard path.utf8.count > PathPattern.maxBytes else { return path }
    return String(decoding: path.utf8.prefix(PathPattern.maxBytes), as: UTF8.self) + "…"
  }

  private static func query(of request: Request) -> (parameters: [String: ParameterValue], problem: String?) {
    guard let query = request.head.query else { return ([:], nil) }
    do {
      return (try FormParameters.parse(query: query), nil)
    } catch {
      return ([:], error.message)
    }
  }
}

extension Response {
  /// A larger response is a list or a file, and has no message.
  private static let maxMessageBytes = 16 * 1024

  /// The member `message` of a JSON response.
  fileprivate var message: String? {
    guard let bytes = body.content, bytes.count <= Self.maxMessageBytes, bytes.first == UInt8(ascii: "{"),
      case .object(let members)? = try? JSONReader.read(bytes), case .string(let message)? = members["message"]
    else { return nil }
    return message
  }
}
