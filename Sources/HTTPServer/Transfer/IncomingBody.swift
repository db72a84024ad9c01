import HTTPMessages

/// How far the body of a request has been read. HTTPConnection+Body.swift reads the socket.
struct IncomingBody {
  /// How many bytes the client has announced; nil if the body is chunked.
  let length: Int?
  /// Of those.
  private var remaining: Int
  private var decoder: ChunkedDecoder?
  private let chunkSize: Int

  static let none = IncomingBody(length: 0, limits: Limits())

  /// - Parameter length: nil for a chunked body.
  init(length: Int?, limits: Limits) {
    self.length = length
    remaining = length ?? 0
    decoder = length == nil ? ChunkedDecoder(limits: limits) : nil
    chunkSize = limits.maxBodyChunk
  }

  var isFinished: Bool { decoder?.isAtEnd ?? (remaining == 0) }

  /// Whether the rest may be short enough to be read and thrown away. The length of a chunked one is not known.
  func mayBeDiscarded(limit: Int) -> Bool { remaining <= limit }

  /// How many bytes may be read without decoding, at most `max`; nil for a chunked body.
  func directReadSize(max: Int) -> Int? { decoder == nil ? min(remaining, max) : nil }

  mutating func countDirect(_ count: Int) { remaining = max(0, remaining - count) }

  /// Takes content from the bytes received; empty if they were only framing.
  ///
  /// - Returns: `used` is the length with the framing.
  mutating func take(from input: InputBuffer) throws(BodyError) -> (content: [UInt8], used: Int) {
    guard decoder != nil else {
      let chunk = input.take(min(remaining, chunkSize))
      remaining -= chunk.count
      return (chunk, chunk.count)
    }
    var content: [UInt8] = []
    let used = try input.withBytes { (bytes) throws(BodyError) -> Int in
      try decoder?.decode(bytes) { $0.withUnsafeBufferPointer { content += $0 } } ?? 0
    }
    input.consume(used)
    return (content, used)
  }
}
