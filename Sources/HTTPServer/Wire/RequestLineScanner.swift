import HTTPMessages
import Platform

/// Refuses what cannot be a request at its first impossible byte, while its request line arrives: a TLS hello, for
/// example, whose sender would otherwise wait until the time for a head is over. Whole heads are checked by
/// RequestParser.swift.
struct RequestLineScanner {
  private enum State {
    case method, target, query, version, lineFeed, end
  }

  private var state = State.method
  private var position = 0
  /// Where the part of the line begins that `state` is about.
  private var start = 0

  /// - Parameter bytes: everything received of the head so far; each call sees more than the last.
  mutating func scan(_ bytes: Span<UInt8>) throws(RequestError) {
    while position < bytes.count, state != .end {
      try step(bytes[position])
      position += 1
    }
  }

  private mutating func step(_ byte: UInt8) throws(RequestError) {
    switch state {
    case .method:
      if byte == 0x20, position > start { return begin(.target) }
      // The type of a record that has a handshake's messages (RFC 8446 §5.1).
      if position == 0, byte == 0x16 { throw .isTLS }
      guard byte.isToken else { throw .notHTTP }
    case .target, .query:
      if byte == 0x20, position > start { return begin(.version) }
      guard state == .query ? byte.isQuery : byte.isTarget else {
        throw .impossibleInTarget(byte)
      }
      if byte == UInt8(ascii: "?") { state = .query }
    case .version:
      let index = position - start
      if index == Self.version.count, byte == 0x0d { return begin(.lineFeed) }
      // `HeadScanner` refuses it, in words that help more.
      if index == Self.version.count, byte == 0x0a { return begin(.end) }
      guard index < Self.version.count else { throw .notHTTP }
      let isDigit = Self.version[index] == Self.digit
      guard isDigit ? byte.isASCIIDigit : byte == Self.version[index] else { throw .notHTTP }
    case .lineFeed:
      guard byte == 0x0a else { throw .notHTTP }
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
    "This port speaks HTTP, but what arrived is not a request. A request begins with a line such as GET /up HTTP/1.1, "
      + "which has no other spaces.")
  static let isTLS = malformed(
    "This port speaks HTTP; what has arrived begins like HTTPS. Send the request to an address that begins with http://."
  )
  /// RFC 9112 §3.
  static let methodTooLong = RequestError(
    status: .notImplemented, message: "The request's method is longer than any known method.")

  /// - Parameter byte: at its place, no target has it. White space there ends the target, and the line has no version.
  static func impossibleInTarget(_ byte: UInt8) -> RequestError {
    guard !" \t\r\n".utf8.contains(byte) else { return .notHTTP }
    return .malformed("The request target holds '\(String(printable: [byte]))', which must be percent-encoded.")
  }
}
