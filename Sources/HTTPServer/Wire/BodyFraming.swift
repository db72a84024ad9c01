import HTTPMessages
import Platform

/// How a request's body is delimited (RFC 9112 §6).
enum BodyFraming: Equatable {
  case length(Int)
  case chunked

  /// - Throws: for everything that two HTTP parsers could understand differently.
  init(of head: RequestHead) throws(RequestError) {
    let lengths = head.fields.all(.contentLength)
    let codings = head.fields.all(.transferEncoding)
    if !codings.isEmpty {
      // §6.1: requests are smuggled with the two together, and HTTP/1.0 has no transfer codings.
      guard lengths.isEmpty else {
        throw .malformed("The request has both Content-Length and Transfer-Encoding. Send one of them.")
      }
      guard head.version == .http11 else {
        throw .malformed("Transfer-Encoding is not part of HTTP/1.0. Send Content-Length.")
      }
      guard codings.count == 1, codings[0].equalsIgnoringCase("chunked") else {
        throw RequestError(
          status: .notImplemented, message: "The only transfer coding that this server understands is chunked.")
      }
      self = .chunked
      return
    }
    guard let first = lengths.first else {
      self = .length(0)
      return
    }
    // §6.3: repeated equal values may be accepted, but no known client sends them.
    guard lengths.count == 1, let length = Self.number(first) else {
      throw .malformed("Content-Length is not a single number of bytes.")
    }
    self = .length(length)
  }

  /// Digits only; nil on overflow (RFC 9110 §8.6).
  private static func number(_ text: ArraySlice<UInt8>) -> Int? {
    guard !text.isEmpty else { return nil }
    var value = 0
    for byte in text {
      guard byte.isASCIIDigit else { return nil }
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(Int(byte - UInt8(ascii: "0")))
      guard !overflow, !carry else { return nil }
      value = sum
    }
    return value
  }
}
