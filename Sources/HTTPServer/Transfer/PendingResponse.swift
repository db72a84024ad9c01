import HTTPMessages
import Platform

/// A response being written: bytes, then perhaps a part of a file, or pieces that are fetched one after the other.
/// `ResponseWriter` has written its head, and `StreamedBody` keeps track of the pieces.
struct PendingResponse {
  enum Progress {
    case done
    /// The client reads too slowly. `timeout` is how many more milliseconds the server waits for it.
    case wouldBlock(timeout: Int64)
    /// There is more, but other connections have waited long enough.
    case yield
    /// The next piece of a streamed body must be fetched.
    case needsPiece
    case failed
  }

  /// What is not in memory.
  private enum Rest {
    case none
    case file(OpenFile, offset: Int64, remaining: Int64)
    case stream(StreamedBody)
  }

  /// Bytes of a file sent in one turn of the loop. A client that reads as fast as sendfile(2) copies would otherwise
  /// hold the loop for the whole of a large photo: 2 MiB take about a millisecond, and most photos fit.
  private static let maxFileBytesPerTurn: Int64 = 2 * 1024 * 1024

  private var head: [UInt8]
  /// Of a streamed body, the piece that is being written.
  private var content: [UInt8]
  /// Of head and content together.
  private var sent = 0
  /// Of a file, or of earlier pieces.
  private var sentOfRest: Int64 = 0
  private var rest = Rest.none
  private(set) var rate: MinimumDataRate

  /// - Parameter isChunked: whether a body of unknown length is sent in chunks. Otherwise the connection ends after it.
  @inline(__always)
  init(head: [UInt8], body: Response.Body, rate: MinimumDataRate, isChunked: Bool) {
    self.head = head
    self.rate = rate
    switch body {
    case .bytes(let bytes): content = bytes
    case .file(let open, let offset, let length):
      content = []
      if length > 0 { rest = .file(open, offset: offset, remaining: length) }
    case .stream(let source, let offset, let length):
      content = []
      guard length > 0 else { break }
      rest = .stream(StreamedBody(source, framing: .length, offset: offset, length: length, head: head))
      self.head = []
    case .raw(let source):
      (self.head, content) = ([], [])
      rest = .stream(StreamedBody(source, framing: .untilClose, head: []))
    case .pages(let source):
      content = []
      rest = .stream(StreamedBody(source, framing: isChunked ? .chunked : .untilClose, head: head))
      self.head = []
    }
  }

  var sentBytes: Int64 { Int64(sent) + sentOfRest }

  /// The bytes that would be free without this response.
  var heldBytes: Int { content.capacity }

  var streamedBody: StreamedBody? { if case .stream(let body) = rest { body } else { nil } }

  private var hasFile: Bool { if case .file = rest { true } else { false } }

  /// Whether all that is left of it is in a file.
  var isFile: Bool { hasFile && sent == head.count + content.count }

  /// The part of it that is not counted yet.
  var uncountedBytes: Int { streamedBody == nil ? content.count : 0 }

  /// Writes as much as the socket takes.
  ///
  /// - Parameter now: monotonic milliseconds.
  mutating func write(to socket: Socket, now: Int64) -> Progress {
    rate.endWait(now: now)
    let hasManyRecords = hasFile || head.count + content.count - sent > TLSSession.recordSize
    if hasManyRecords { socket.setCork(true) }
    defer { if hasManyRecords { socket.setCork(false) } }
    while sent < head.count + content.count {
      switch writeBytes(to: socket) {
      case .moved(let count):
        sent += count
        rate.count(count)
      case .wouldBlock: return .wouldBlock(timeout: rate.beginWait(now: now))
      case .end, .failed: return .failed
      }
    }
    switch rest {
    case .none: return .done
    case .file: return writeFile(to: socket, now: now)
    case .stream(let body): return body.isFinished ? .done : forgetPiece()
    }
  }

  /// Adds the next piece of a streamed body.
  mutating func add(_ piece: [UInt8]) {
    head = streamedBody?.advance(by: piece.count) ?? []
    content = piece
  }

  /// Makes room for the next piece.
  private mutating func forgetPiece() -> Progress {
    sentOfRest += Int64(sent)
    (head, content, sent) = ([], [], 0)
    return .needsPiece
  }

  private func writeBytes(to socket: Socket) -> Socket.Outcome {
    head.withUnsafeBytes { head in
      content.withUnsafeBytes { content in
        socket.write(
          UnsafeRawBufferPointer(rebasing: head[min(sent, head.count)...]),
          then: UnsafeRawBufferPointer(rebasing: content[max(0, sent - head.count)...]), moreFollows: hasFile)
      }
    }
  }

  private mutating func writeFile(to socket: Socket, now: Int64) -> Progress {
    let sentBefore = sentOfRest
    while case .file(let file, let offset, let remaining) = rest, remaining > 0 {
      guard sentOfRest - sentBefore < Self.maxFileBytesPerTurn else { return .yield }
      switch socket.send(file, offset: offset, count: min(remaining, Self.maxFileBytesPerTurn)) {
      case .moved(let count):
        rest = .file(file, offset: offset + Int64(count), remaining: remaining - Int64(count))
        sentOfRest += Int64(count)
        rate.count(count)
      case .wouldBlock: return .wouldBlock(timeout: rate.beginWait(now: now))
      // The file has become shorter than Content-Length. The missing bytes tell the client.
      case .end, .failed: return .failed
      }
    }
    return .done
  }
}
