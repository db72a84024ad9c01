import HTTPMessages

/// Undoes the chunked transfer coding (RFC 9112 §7.1), however its bytes are cut.
struct ChunkedDecoder {
  private enum State: Equatable {
    case size(digits: Int)
    case extensionText
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

  /// A chunk's size fits into this many hexadecimal digits: 2^48 bytes are more than any limit.
  private static let maxDigits = 12

  private let limits: Limits
  private var state = State.size(digits: 0)
  private var remaining = 0
  private var lineLength = 0
  private var trailerLength = 0

  init(limits: Limits) {
    self.limits = limits
  }

  var isAtEnd: Bool { state == .end }

  /// Decodes a stretch of the coded body.
  ///
  /// - Parameter take: is given each stretch of content.
  /// - Returns: how many bytes belonged to the body; fewer than given only when it is at its end.
  mutating func decode(
    _ bytes: UnsafeBufferPointer<UInt8>, take: (UnsafeBufferPointer<UInt8>) -> Void
  ) throws(BodyError) -> Int {
    var position = 0
    while position < bytes.count, state != .end {
      if state == .data {
        let count = min(remaining, bytes.count - position)
        take(UnsafeBufferPointer(rebasing: bytes[position..<(position + count)]))
        position += count
        remaining -= count
        if remaining == 0 { state = .dataEnd }
      } else {
        try step(bytes[position])
        position += 1
      }
    }
    return position
  }

  private mutating func step(_ byte: UInt8) throws(BodyError) {
    switch state {
    case .size(let digits): try readSize(byte, digits: digits)
    case .extensionText:
      if byte == 0x0d {
        state = .sizeLineFeed
      } else if (byte < 0x20 && byte != 0x09) || byte == 0x7f {
        throw .malformed("A chunk extension holds a control character.")
      } else {
        try countLine()
      }
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

  /// Trailers are dropped (§7.1.2), but they must be fields: anything else is the sign of a request
  /// that another reader sees here.
  private mutating func readTrailer(_ byte: UInt8) throws(BodyError) {
    trailerLength += 1
    guard trailerLength <= limits.maxTrailers else {
      throw .malformed("The trailers of the chunked body are longer than \(limits.maxTrailers) bytes.")
    }
    if state == .trailerStart && byte == 0x0d {
      state = .lastLineFeed
    } else if state == .trailerValue {
      guard byte != 0x0d else { return state = .trailerLineFeed }
      guard CharacterClass.isFieldValue(byte) else {
        throw .malformed("A trailer field holds a control character, or ends with LF alone.")
      }
    } else if state == .trailerName && byte == UInt8(ascii: ":") {
      state = .trailerValue
    } else {
      guard CharacterClass.isToken(byte) else {
        throw .malformed("A trailer field does not begin with a name and a colon directly after it.")
      }
      state = .trailerName
    }
  }

  private mutating func readSize(_ byte: UInt8, digits: Int) throws(BodyError) {
    if let digit = Self.hexadecimal(byte) {
      guard digits < Self.maxDigits else { throw .malformed("A chunk's size has too many digits.") }
      remaining = (digits == 0 ? 0 : remaining) * 16 + digit
      state = .size(digits: digits + 1)
    } else if digits == 0 {
      throw .malformed("A chunk does not begin with its size in hexadecimal digits.")
    } else if byte == 0x0d {
      state = .sizeLineFeed
    } else if byte == UInt8(ascii: ";") {
      state = .extensionText
    } else {
      throw .malformed("A chunk's size is followed by something other than CR LF or ';'.")
    }
  }

  private mutating func countLine() throws(BodyError) {
    lineLength += 1
    guard lineLength <= limits.maxChunkLine else {
      throw .malformed("A chunk's extensions are longer than \(limits.maxChunkLine) bytes.")
    }
  }

  private func expect(_ byte: UInt8, _ wanted: UInt8, _ message: String) throws(BodyError) {
    guard byte == wanted else { throw .malformed(message) }
  }

  private static func hexadecimal(_ byte: UInt8) -> Int? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(byte - UInt8(ascii: "a")) + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(byte - UInt8(ascii: "A")) + 10
    default: nil
    }
  }
}
