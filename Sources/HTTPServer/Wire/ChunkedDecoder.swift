import HTTPMessages
import Platform

/// Decodes the chunked transfer coding (RFC 9112 §7.1), in pieces of any size. BodyFraming.swift decides which bodies
/// have this coding.
struct ChunkedDecoder {
  private enum State: Equatable {
    case size(digits: Int)
    case extensions(ChunkExtension)
    case sizeLineFeed
    case data
    case dataEnd
    case dataLineFeed
    case trailerStart
    case trailerName
    case trailerValue
    case trailerLineFeed
    case lastLineFeed
    case end
  }

  /// Hexadecimal digits of a chunk's size: 2^48 bytes are more than any limit.
  private static let maxDigits = 12

  // Only these, because all limits would be copied several times for each request, even for one without a body.
  private let maxChunkLine: Int
  private let maxChunkExtensions: Int
  private let maxTrailers: Int
  private var state = State.size(digits: 0)
  private var remaining = 0
  private var lineLength = 0
  private var extensionLength = 0
  private var trailerLength = 0
  /// Why the body cannot be decoded. Nothing is decoded after that: what follows could be taken for a request.
  private var failure: BodyError?

  init(limits: Limits) {
    maxChunkLine = limits.maxChunkLine
    maxChunkExtensions = limits.maxChunkExtensions
    maxTrailers = limits.maxTrailers
  }

  var isAtEnd: Bool { state == .end }

  /// Decodes the next bytes of the coded body.
  ///
  /// - Parameter take: called with each run of content.
  /// - Returns: how many bytes belonged to the body; fewer than given only at the body's end.
  mutating func decode(
    _ bytes: Span<UInt8>, take: (Span<UInt8>) -> Void
  ) throws(BodyError) -> Int {
    if let failure { throw failure }
    var position = 0
    while position < bytes.count, state != .end {
      if state == .data {
        let count = min(remaining, bytes.count - position)
        take(bytes.extracting(position..<(position + count)))
        position += count
        remaining -= count
        if remaining == 0 { state = .dataEnd }
      } else {
        do {
          try step(bytes[position])
        } catch {
          failure = error
          throw error
        }
        position += 1
      }
    }
    return position
  }

  private mutating func step(_ byte: UInt8) throws(BodyError) {
    switch state {
    case .size(let digits): try readSize(byte, digits: digits)
    case .extensions(let place):
      if byte == 0x0d, place.mayEnd { return state = .sizeLineFeed }
      guard let next = place.next(byte) else {
        throw .malformed("A chunk's size is followed by something other than CR LF or ';name' or ';name=value'.")
      }
      try countExtensions()
      state = .extensions(next)
    case .sizeLineFeed:
      try expect(byte, 0x0a, "A chunk's size line ends with CR LF.")
      lineLength = 0
      state = remaining == 0 ? .trailerStart : .data
    case .dataEnd:
      try expect(byte, 0x0d, "A chunk's data ends with CR LF, after as many bytes as its size says.")
      state = .dataLineFeed
    case .dataLineFeed:
      try expect(byte, 0x0a, "A chunk's data ends with CR LF, after as many bytes as its size says.")
      state = .size(digits: 0)
    case .trailerStart, .trailerName, .trailerValue: try readTrailer(byte)
    case .trailerLineFeed:
      try expect(byte, 0x0a, "A trailer line ends with CR LF.")
      state = .trailerStart
    case .lastLineFeed:
      try expect(byte, 0x0a, "A chunked body ends with CR LF.")
      state = .end
    case .data, .end: break
    }
  }

  /// Trailers are dropped (§7.1.2), but they must be fields: anything else may be a smuggled request, which another
  /// HTTP parser would see here.
  private mutating func readTrailer(_ byte: UInt8) throws(BodyError) {
    trailerLength += 1
    guard trailerLength <= maxTrailers else {
      throw .malformed("The trailers of the chunked body are longer than \(maxTrailers) bytes.")
    }
    if state == .trailerStart && byte == 0x0d {
      state = .lastLineFeed
    } else if state == .trailerValue {
      guard byte != 0x0d else { return state = .trailerLineFeed }
      guard byte.isFieldValue else {
        throw .malformed("A trailer field holds a control character, or ends with LF alone.")
      }
    } else if state == .trailerName && byte == UInt8(ascii: ":") {
      state = .trailerValue
    } else {
      guard byte.isToken else {
        throw .malformed("A trailer field does not begin with a name and a colon directly after it.")
      }
      state = .trailerName
    }
  }

  private mutating func readSize(_ byte: UInt8, digits: Int) throws(BodyError) {
    if let digit = Hex.value(of: byte) {
      guard digits < Self.maxDigits else { throw .malformed("A chunk's size has too many digits.") }
      remaining = (digits == 0 ? 0 : remaining) * 16 + Int(digit)
      state = .size(digits: digits + 1)
    } else if digits == 0 {
      throw .malformed("A chunk does not begin with its size in hexadecimal digits.")
    } else if byte == 0x0d {
      state = .sizeLineFeed
    } else {
      // What may follow a size is what may follow an extension.
      state = .extensions(.end)
      try step(byte)
    }
  }

  private mutating func countExtensions() throws(BodyError) {
    lineLength += 1
    extensionLength += 1
    guard lineLength <= maxChunkLine, extensionLength <= maxChunkExtensions else {
      throw .malformed(
        "The extensions of a chunk are longer than \(maxChunkLine) bytes, or those of all chunks longer than "
          + "\(maxChunkExtensions).")
    }
  }

  private func expect(_ byte: UInt8, _ wanted: UInt8, _ message: String) throws(BodyError) {
    guard byte == wanted else { throw .malformed(message) }
  }
}
