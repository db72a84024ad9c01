import HTTPMessages

// Puts a function before the bytes of a request's body. `RecordedBody`, `Generations` and FaultResponses.swift have
// such functions.
extension Request {
  /// The request with a body whose bytes come from `next`, which reads those of the client; without a body, the request
  /// itself.
  func withBody(from next: @escaping @Sendable () async throws(BodyError) -> [UInt8]?) -> Request {
    guard !body.isEmpty else { return self }
    let body = RequestBody(length: body.length, source: InterceptedBody(read: next), memory: body.memory)
    return Request(head: head, body: body, peer: peer, context: context)
  }
}

private struct InterceptedBody: RequestBody.Source {
  let read: @Sendable () async throws(BodyError) -> [UInt8]?

  func next() async throws(BodyError) -> [UInt8]? { try await read() }
}
