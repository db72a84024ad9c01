import HTTPMessages

/// How far the body of a request has been read.
struct IncomingBody {
  private enum State {
    case length(remaining: Int)
    case chunked(ChunkedDecoder)
  }

  private var state: State
  private let chunkSize: Int
  /// How many bytes the client has announced; nil if the body is chunked.
  let length: Int?

  init(_ framing: BodyFraming, limits: Limits) {
    chunkSize = limits.maxBodyChunk
    switch framing {
    case .length(let count):
      length = count
      state = .length(remaining: count)
    case .chunked:
      length = nil
      state = .chunked(ChunkedDecoder(limits: limits))
    }
  }

  static let none = IncomingBody(.length(0), limits: Limits())

  var isFinished: Bool {
    switch state {
    case .length(let remaining): remaining == 0
    case .chunked(let decoder): decoder.isAtEnd
    }
  }

  /// Whether the rest is short enough to be read and thrown away.
  ///
  /// - Parameter isShort: whether a chunked body, whose length is not known, is expected to be short.
  func mayBeDiscarded(limit: Int, ifChunked isShort: Bool) -> Bool {
    switch state {
    case .length(let remaining): remaining <= limit
    case .chunked(let decoder): decoder.isAtEnd || isShort
    }
  }

  /// How many bytes may be read without decoding, at most `max`; nil for a chunked body.
  func directReadSize(max: Int) -> Int? {
    guard case .length(let remaining) = state else { return nil }
    return min(remaining, max)
  }

  mutating func countDirect(_ count: Int) {
    guard case .length(let remaining) = state else { return }
    state = .length(remaining: max(0, remaining - count))
  }

  /// Takes content from the bytes received; empty if they were only framing.
  mutating func take(from input: InputBuffer) throws(BodyError) -> [UInt8] {
    switch state {
    case .length(let remaining):
      let chunk = input.take(min(remaining, chunkSize))
      state = .length(remaining: remaining - chunk.count)
      return chunk
    case .chunked(var decoder):
      var content: [UInt8] = []
      let used = try input.withBytes { (bytes) throws(BodyError) -> Int in
        try decoder.decode(bytes) { content.append(contentsOf: $0) }
      }
      input.consume(used)
      state = .chunked(decoder)
      return content
    }
  }
}
