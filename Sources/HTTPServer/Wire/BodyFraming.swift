import HTTPMessages
import Platform

// Finds the length of a body by the fields of its head. `ChunkedDecoder` finds the end of a chunked one.
extension RequestHead {
  /// How many bytes the body has (RFC 9112 §6); nil if it has the chunked coding.
  ///
  /// - Throws: for everything that two HTTP parsers could understand differently.
  func bodyLength() throws(RequestError) -> Int? {
    let lengths = fields.all(.contentLength)
    let codings = fields.all(.transferEncoding)
    if !codings.isEmpty {
      // §6.1: requests are smuggled with the two together, and HTTP/1.0 has no transfer codings.
      guard lengths.isEmpty else {
        throw .malformed("The request has both Content-Length and Transfer-Encoding. Send one of them.")
      }
      guard version == .http11 else {
        throw .malformed("Transfer-Encoding is not part of HTTP/1.0. Send Content-Length.")
      }
      if codings.count == 1, codings[0].equalsIgnoringCase("chunked") { return nil }
      // §6.3: unless chunked is the last coding, and stands only there (§7.1), the end of the body is unknown.
      var endsInChunked = false
      let hasMore = fields.hasElement(.transferEncoding) { coding in
        defer { endsInChunked = coding.equalsIgnoringCase("chunked") }
        return endsInChunked
      }
      guard endsInChunked, !hasMore else {
        throw .malformed("Transfer-Encoding does not end in chunked, or has it twice.")
      }
      throw RequestError(
        status: .notImplemented, message: "The only transfer coding that this server understands is chunked.")
    }
    guard let first = lengths.first else { return 0 }
    // §6.3: repeated equal values may be accepted, but no known client sends them. Too large a number is nil.
    guard lengths.count == 1, first.allSatisfy(\.isASCIIDigit), let length = Int(String(decoding: first, as: UTF8.self))
    else {
      throw .malformed("Content-Length is not a single number of bytes.")
    }
    return length
  }
}
