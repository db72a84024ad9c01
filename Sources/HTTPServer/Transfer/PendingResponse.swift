import HTTPMessages
import Platform

/// A response being written: bytes, then perhaps a part of a file.
struct PendingResponse {
  enum Progress {
    case done
    /// The client reads too slowly. `timeout` is how many more milliseconds the server waits for it.
    case wouldBlock(timeout: Int64)
    /// There is more, but other connections have waited long enough.
    case yield
    case failed
  }

  private struct FilePart {
    let file: OpenFile
    var offset: Int64
    var remaining: Int64
  }

  /// Bytes of a file sent in one turn of the loop. A client that reads as fast as sendfile(2) copies would otherwise
  /// hold the loop for the whole of a large photo: 2 MiB take about a millisecond, and most photos fit.
  private static let maxFileBytesPerTurn: Int64 = 2 * 1024 * 1024

  private let head: [UInt8]
  private let content: [UInt8]
  /// Of head and content together.
  private var sent = 0
  private var sentOfFile: Int64 = 0
  private var file: FilePart?
  private(set) var rate: MinimumDataRate
  /// Keeps shared content, and the memory that is reserved for it.
  private let shared: SharedBytes?

  @inline(__always)
  init(head: [UInt8], body: Response.Body, rate: MinimumDataRate) {
    self.head = head
    self.rate = rate
    var shared: SharedBytes?
    switch body {
    case .bytes(let bytes): content = bytes
    case .shared(let bytes):
      content = bytes.bytes
      shared = bytes
    case .file(let open, let offset, let length):
      content = []
      if length > 0 { file = FilePart(file: open, offset: offset, remaining: length) }
    }
    self.shared = shared
  }

  var sentBytes: Int64 { Int64(sent) + sentOfFile }

  /// What would be free without this response, unless others send the same content.
  var heldBytes: Int { content.count }

  /// What would be free without this response in any case.
  var ownBytes: Int { shared == nil ? content.count : 0 }

  /// Writes as much as the socket takes.
  ///
  /// - Parameter now: monotonic milliseconds.
  mutating func write(to socket: Socket, now: Int64) -> Progress {
    rate.endWait(now: now)
    while sent < head.count + content.count {
      switch writeBytes(to: socket) {
      case .moved(let count):
        sent += count
        rate.count(count)
      case .wouldBlock: return .wouldBlock(timeout: rate.beginWait(now: now))
      case .end, .failed: return .failed
      }
    }
    return writeFile(to: socket, now: now)
  }

  private func writeBytes(to socket: Socket) -> Socket.Outcome {
    head.withUnsafeBytes { head in
      content.withUnsafeBytes { content in
        socket.write(
          UnsafeRawBufferPointer(rebasing: head[min(sent, head.count)...]),
          then: UnsafeRawBufferPointer(rebasing: content[max(0, sent - head.count)...]), moreFollows: file != nil)
      }
    }
  }

  private mutating func writeFile(to socket: Socket, now: Int64) -> Progress {
    guard var part = file else { return .done }
    defer { file = part }
    var inTurn: Int64 = 0
    while part.remaining > 0 {
      guard inTurn < Self.maxFileBytesPerTurn else { return .yield }
      switch socket.send(part.file, offset: part.offset, count: min(part.remaining, Self.maxFileBytesPerTurn)) {
      case .moved(let count):
        part.offset += Int64(count)
        part.remaining -= Int64(count)
        sentOfFile += Int64(count)
        inTurn += Int64(count)
        rate.count(count)
      case .wouldBlock: return .wouldBlock(timeout: rate.beginWait(now: now))
      // The file has become shorter than Content-Length. The missing bytes tell the client.
      case .end, .failed: return .failed
      }
    }
    return .done
  }
}
