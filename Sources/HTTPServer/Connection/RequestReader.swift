import HTTPMessages

/// Reads what a client sends: heads, bodies, and what is thrown away after a response. `HTTPConnection` decides when, and
/// `IncomingBody` decodes the body.
///
/// Bytes that arrive before they are wanted are kept in an `InputBuffer`. Everything else waits in the kernel, which slows
/// the client down.
final class RequestReader {
  private let socket: Socket
  private let table: ConnectionTable
  /// Nil while all that was read has been used.
  private var input: InputBuffer?
  private var scanner = HeadScanner()
  /// Bytes thrown away since the last response.
  private var discardedBytes = 0

  init(_ socket: Socket, table: ConnectionTable) {
    self.socket = socket
    self.table = table
  }

  /// Whether all that was read has been used.
  var isEmpty: Bool { input?.isEmpty ?? true }

  /// Whether there is something to read, or may be.
  var hasInput: Bool { socket.isReadable || !isEmpty }

  /// The memory of what was read.
  var residentBytes: Int { input?.residentBytes ?? 0 }

  // MARK: - Heads

  /// Takes the next request's head out of what was read; nil until all of it has arrived.
  func nextHead() throws(RequestError) -> [UInt8]? {
    // Empty lines before a request line are ignored (RFC 9112 §2.2).
    guard let input, input.dropEmptyLines() else { return nil }
    let length = try input.withBytes { (bytes) throws(RequestError) in try scanner.scan(bytes, limits: table.limits) }
    guard let length else { return nil }
    scanner = HeadScanner()
    let head = input.take(length)
    releaseEmptyBuffer()
    return head
  }

  /// Reads once, for a head or a body; false when nothing has arrived.
  func receive() throws(BodyError) -> Bool {
    let buffer = input ?? table.takeBuffer()
    input = buffer
    return try hasMoved(buffer.receive { socket.read(into: $0) })
  }

  /// An idle connection has no buffer.
  func releaseEmptyBuffer() {
    guard let input, input.isEmpty else { return }
    table.giveBack(input)
    self.input = nil
  }

  /// Drops what was read and not used, with its memory: another connection would not need that much.
  func drop() { input = nil }

  // MARK: - Bodies

  /// Reads a part of a body; nil when the client has sent nothing more yet, nil in the result at its end.
  func nextChunk(of request: RequestState) -> Result<[UInt8]?, BodyError>? {
    do throws(BodyError) {
      while !request.body.isFinished {
        if let input, !input.isEmpty {
          let (chunk, used) = try request.body.take(from: input)
          releaseEmptyBuffer()
          request.countBody(chunk.count, received: used)
          if !chunk.isEmpty { return .success(chunk) }
          continue
        }
        guard socket.isReadable else { return nil }
        if let wanted = request.body.directReadSize(max: min(table.limits.maxBodyChunk, socket.readableSize)) {
          guard let chunk = try readDirectly(wanted) else { return nil }
          request.body.countDirect(chunk.count)
          request.countBody(chunk.count, received: chunk.count)
          return .success(chunk)
        }
        guard try receive() else { return nil }
      }
      return .success(nil)
    } catch {
      // Nobody knows where the next request begins.
      if case .malformed = error { request.mustLinger = true }
      return .failure(error)
    }
  }

  /// Reads body bytes into the array that the handler gets, without a copy through the input buffer.
  private func readDirectly(_ wanted: Int) throws(BodyError) -> [UInt8]? {
    var outcome = Socket.Outcome.wouldBlock
    let chunk = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
      outcome = socket.read(into: UnsafeMutableRawBufferPointer(buffer))
      if case .moved(let moved) = outcome { count = moved }
    }
    return try hasMoved(outcome) ? chunk : nil
  }

  private func hasMoved(_ outcome: Socket.Outcome) throws(BodyError) -> Bool {
    switch outcome {
    case .moved: return true
    case .wouldBlock: return false
    case .end, .failed: throw .disconnected
    }
  }

  // MARK: - What is thrown away

  func beginDiscarding() { discardedBytes = 0 }

  /// Counts bytes that were thrown away.
  ///
  /// - Returns: false once the client has sent so much that it has had time to read the response.
  func mayDiscard(_ count: Int) -> Bool {
    discardedBytes &+= count
    return discardedBytes <= table.limits.maxEndingBytes
  }
}
