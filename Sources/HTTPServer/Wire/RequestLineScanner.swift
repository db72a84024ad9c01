import Platform

/// Refuses what cannot be a request at its first impossible byte, while its request line arrives: a TLS hello, for
/// example, whose sender would otherwise wait until the time for a head is over. Whole heads are checked by
/// `RequestParser`.
struct RequestLineScanner {
  private enum State {
    case method, target, version, lineFeed, end
  }

  private var state = State.method
  private var position = 0
  /// Where the part of the line begins that `state` is about.
  private var start = 0

  /// - Parameter bytes: everything received of the head so far; each call sees more than the last.
  mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>) throws(RequestError) {
    while position < bytes.count, state != .end {
      try step(bytes[position])
      position += 1
    }
  }

  private mutating func step(_ byte: UInt8) throws(RequestError) {
    switch state {
    case .method:
      if byte == 0x20, position > start { return begin(.target) }
      guard CharacterClass.isToken(byte) else { throw .notHTTP }
    case .target:
      if byte == 0x20, position > start { return begin(.version) }
      guard CharacterClass.isTarget(byte) else { throw .impossibleTarget }
    case .version:
      let index = position - start
      if index == Self.version.count, byte == 0x0d { return begin(.lineFeed) }
      guard index < Self.version.count else { throw .impossibleVersion }
      let isDigit = Self.version[index] == Self.digit
      guard isDigit ? byte.isASCIIDigit : byte == Self.version[index] else { throw .impossibleVersion }
    case .lineFeed:
      guard byte == 0x0a else { throw .impossibleVersion }
      begin(.end)
    case .end: break
    }
  }

  private mutating func begin(_ next: State) {
    state = next
    start = position + 1
  }

  private static let digit = UInt8(ascii: "0")
  private static let version = Array("HTTP/0.0".utf8)
}

extension RequestError {
  static let notHTTP = malformed(
    "This port speaks HTTP; what has arrived is not a request. A request begins with a method, such as GET, and one "
      + "space. For https, put a proxy that speaks TLS in front of the server.")
  static let impossibleTarget = malformed(
    "The request target is empty or holds a character that must be percent-encoded, such as a space, a quotation mark, "
      + "'#' or one beyond ASCII.")
  static let impossibleVersion = malformed("The request line does not end with HTTP/1.1 or HTTP/1.0.")
}
