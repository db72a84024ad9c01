import HTTPMessages

/// How far the body of a request has been read.
struct IncomingBody {
  private enum State {
    case length(remaining: Int)
    case chunked(ChunkedDecoder)
  }

  private var state: State
  private let chunkSize: Int
  /// How many bytes the client has announced; nil for chunks.
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

  /// Whether the rest is short enough to be read and thrown away. Of chunks nobody knows: they get
  /// the benefit of the doubt only once they have ended.
  func mayBeDiscarded(limit: Int) -> Bool {
    switch state {
    case .length(let remaining): remaining <= limit
    case .chunked(let decoder): decoder.isAtEnd
    }
  }

  /// How many bytes may be read straight to where they are handed over; nil when they must be decoded first.
  func wantsDirectly(most: Int) -> Int? {
    guard case .length(let remaining) = state else { return nil }
    return min(remaining, most)
  }

  mutating func countDirect(_ count: Int) {
    guard case .length(let remaining) = state else { return }
    state = .length(remaining: max(0, remaining - count))
  }

  /// Takes from what has been received; empty when that was framing only.
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
