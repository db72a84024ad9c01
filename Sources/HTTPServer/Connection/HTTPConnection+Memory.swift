import HTTPMessages
import Platform

// The state in which a connection is counted, the memory that it holds, and how it gives that up.
// ConnectionTable+MemoryShortage.swift chooses the connections that must give it up.
extension HTTPConnection {
  /// Counts the connection in its current state.
  func countState() {
    let new = state
    guard new != countedState else { return }
    counters.move(from: countedState, to: new)
    countedState = new
  }

  private var state: ConnectionState? {
    switch phase {
    case .handshaking: .handshaking
    case .idle(let headStart): headStart == nil ? .idle : .receivingHead
    case .handling(let request): request.isWaiting ? .receivingBody : .handling
    case .writing, .fetching: .sending
    case .discarding, .ending, .lingering: .closing
    case .closed: nil
    }
  }

  /// The bytes that would be free without the connection.
  var heldBytes: Int {
    let request = phase.request
    return countedTLS + reader.residentBytes + (request?.memory?.bytes ?? 0) + (request?.response?.heldBytes ?? 0)
  }

  /// Whether it may hold memory for which nobody has a reservation: that of a request which was not answered yet, or of a
  /// response that is not just a file.
  var mayHoldUncounted: Bool {
    switch phase {
    case .idle: !reader.isEmpty
    case .handling, .fetching: true
    case .writing(let request): request.response?.isFile != true || table.memory.isOverrun
    case .handshaking, .discarding, .ending, .lingering, .closed: false
    }
  }

  /// How long the client has kept the server waiting, or the server has been at work for it itself.
  var age: Int64 {
    switch phase {
    case .handling(let request): max(delay, request.waitingSince.map { table.now &- $0 } ?? 0)
    case .fetching(let request): request.response?.rate.delay(now: table.now) ?? 0
    default: delay
    }
  }

  /// How long the client has kept the server waiting, compared with one that is fast enough for a server that is short
  /// of memory. 0 while the server is at work itself.
  var delay: Int64 {
    switch phase {
    case .handshaking: table.now &- idleSince
    case .idle(let headStart): headStart.map { table.now &- $0 } ?? (socket.tls != nil ? table.now &- idleSince : 0)
    case .handling(let request): request.isWaiting ? request.bodyRate.delay(now: table.now) : 0
    case .writing(let request): request.response?.rate.delay(now: table.now) ?? 0
    case .fetching, .discarding, .ending, .lingering, .closed: 0
    }
  }

  static let overCapacity = "The server has too many connections. Try again in a moment."

  /// Ends the current exchange, because others need the memory.
  func drop() {
    switch phase {
    case .idle where reader.isEmpty: closeUnlessRequested()
    case .idle: refuse(.outOfMemory)
    case .handling(let request): if !request.failBody(.outOfMemory) { refuse(.outOfMemory) }
    case .fetching(let request):
      fetchFailed(.outOfMemory, for: request)
      serve()
    default: close()
    }
  }

  /// The memory of a waiting request besides the bytes of its head: its task, and the places of its fields.
  private static let waitingRequestBytes = 10 * 1024

  func requestMemory(headLength: Int) -> RequestMemory {
    RequestMemory(of: table.memory, headBytes: headLength + Self.waitingRequestBytes)
  }

  /// Counts a request whose body may keep its handler waiting, or whose head is long.
  ///
  /// - Returns: nil for other requests. Most have their response at once.
  /// - Throws: 503 if there is no memory for it.
  func reserveMemory(headLength: Int, hasBody: Bool) throws(RequestError) -> RequestMemory? {
    guard hasBody || headLength > InputBuffer.pageBytes else { return nil }
    let memory = requestMemory(headLength: headLength)
    guard memory.hold(0) else { throw .outOfMemory }
    return memory
  }

  /// Counts a request whose handler waits though there is no body.
  func countWaiting(_ request: RequestState, _ memory: RequestMemory) {
    request.memory = memory
    // A short request is served even if there is no memory.
    _ = memory.hold(0)
  }

  static let outOfMemory = "Other requests use all of the server's memory. Try again in a moment."

  /// Counts the connection's memory for TLS from now on.
  func countTLS(_ bytes: Int) {
    table.memory.add(bytes - countedTLS)
    countedTLS = bytes
  }

  /// Counts a response that the client does not take at once.
  ///
  /// - Returns: false if there is no memory for it.
  func countOutput(_ bytes: Int, of request: RequestState) -> Bool {
    guard request.countedOutput == 0 else { return true }
    request.countedOutput = bytes
    table.memory.add(bytes)
    return bytes <= InputBuffer.pageBytes || !table.memory.isExhausted
  }

  /// Counts a response that is not short, since the client may not take it at once; false if there is no memory for it.
  func reserveOutput(_ bytes: Int, of request: RequestState) -> Bool {
    guard bytes > MemoryBudget.smallReservation else { return true }
    guard table.memory.reserve(bytes, total: bytes) else { return false }
    request.countedOutput = bytes
    return true
  }

  func stopCountingOutput(of request: RequestState) {
    guard request.countedOutput > 0 else { return }
    table.memory.subtract(request.countedOutput)
    request.countedOutput = 0
  }
}
