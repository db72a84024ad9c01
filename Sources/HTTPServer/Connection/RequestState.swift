import HTTPMessages

/// A connection's current request, until its response was sent and its body was read. `IncomingBody` has the state of the
/// body, and `PendingResponse` that of the response.
final class RequestState {
  typealias BodyResult = Result<[UInt8]?, BodyError>

  /// Whom a handler that needs more of its body is waiting for.
  enum Wait {
    case nothing
    /// The client, which must send more.
    case client(UnsafeContinuation<BodyResult, Never>)
    /// Others, which must have their turn.
    case others(UnsafeContinuation<BodyResult, Never>)
  }

  let number: UInt64
  /// Until there is a response, or the first piece of its body.
  private(set) var head: RequestHead?
  let version: RequestHead.Version
  let isHead: Bool
  /// Whether the client wants to send more requests (RFC 9112 §9.3).
  let wantsKeepAlive: Bool
  var body: IncomingBody
  var bodyRate: MinimumDataRate
  /// Counts the head and what the handler holds of the body, until the head is released; nil if neither is counted.
  var memory: RequestMemory?
  /// The client waits for `100 Continue` before it sends its body (RFC 9110 §10.1.1).
  var needs100Continue: Bool
  var keepsAlive = false
  /// Whether bytes may still arrive that are not a request.
  var mustLinger = false
  var wait = Wait.nothing
  /// Chunks of the body that were read since the connection last waited.
  var chunksInTurn = 0
  var bytesInTurn = 0
  /// When the handler began to wait for something; nil if it responded at once. Monotonic milliseconds.
  var waitingSince: Int64?
  /// Of the handler or of the source of the response's body, once that has to wait.
  var task: Task<Void, Never>?
  /// Nil until the handler has responded, and once all was written.
  var response: PendingResponse?
  /// Bytes of the response that the budget counts.
  var countedOutput = 0
  /// Nil if the responder has no `responseSent`, and once that was called.
  var record: RequestRecord?

  /// - Parameter head: nil if it could not be read. A request that is refused at once needs no more than its record.
  init(
    number: UInt64 = 0, head: RequestHead?, body: IncomingBody = .none, memory: RequestMemory? = nil,
    expectsContinue: Bool = false, record: RequestRecord?, limits: Limits
  ) {
    self.number = number
    self.head = head
    version = head?.version ?? .http11
    isHead = if case .head? = head?.method { true } else { false }
    wantsKeepAlive = head.map(Self.wantsKeepAlive) ?? false
    self.body = body
    self.memory = memory
    bodyRate = MinimumDataRate(limits: limits, timeout: limits.bodyTimeout)
    needs100Continue = expectsContinue && !body.isFinished
    self.record = record
  }

  /// Releases the head, once no other response can take the place of the handler's. What the handler held is free as
  /// soon as its task has ended.
  func release() {
    memory = nil
    head = nil
  }

  func beginTurn() {
    chunksInTurn = 0
    bytesInTurn = 0
  }

  /// - Parameter received: the bytes with their framing.
  func countBody(_ bytes: Int, received: Int) {
    chunksInTurn += 1
    bytesInTurn += received
    bodyRate.count(bytes)
    record?.bytesReceived += Int64(bytes)
  }

  /// Whether its handler, or the source of its body, has not had to wait: then it runs within `HTTPConnection.serve`.
  var isBeingServed: Bool { task == nil }

  var isWaiting: Bool { if case .nothing = wait { false } else { true } }

  func waitForOthers() {
    if case .client(let handler) = wait { wait = .others(handler) }
  }

  /// - Returns: whether the handler has waited for others.
  func waitForClient() -> Bool {
    guard case .others(let handler) = wait else { return false }
    wait = .client(handler)
    return true
  }

  func resumeHandler(with result: BodyResult) {
    switch wait {
    case .nothing: break
    case .client(let handler), .others(let handler):
      wait = .nothing
      handler.resume(returning: result)
    }
  }

  /// Tells the handler that its body will not arrive; false when it does not wait for it.
  func failBody(_ error: BodyError) -> Bool {
    guard isWaiting else { return false }
    // The rest, and the next request after it, may arrive at any time.
    if error == .timedOut || error == .outOfMemory { mustLinger = true }
    resumeHandler(with: .failure(error))
    return true
  }

  /// Whether the list of expectations has `100-continue` (RFC 9110 §10.1.1). PHP clients send it empty.
  ///
  /// - Throws: 417 for any other expectation.
  static func expectsContinue(_ head: RequestHead) throws(RequestError) -> Bool {
    var expectsContinue = false
    let expectsMore = head.fields.hasElement(.expect) { expectation in
      let isContinue = expectation.equalsIgnoringCase("100-continue")
      expectsContinue = expectsContinue || isContinue
      return !isContinue
    }
    guard !expectsMore else {
      throw RequestError(status: .expectationFailed, message: "Expect supports only 100-continue.")
    }
    // An HTTP/1.0 client would take the 100 for the final response.
    return expectsContinue && head.version.is11
  }

  private static func wantsKeepAlive(_ head: RequestHead) -> Bool {
    var keepsAlive = head.version.is11
    let closes = head.fields.hasElement(.connection) { option in
      keepsAlive = keepsAlive || option.equalsIgnoringCase("keep-alive")
      return option.equalsIgnoringCase("close")
    }
    return keepsAlive && !closes
  }
}
