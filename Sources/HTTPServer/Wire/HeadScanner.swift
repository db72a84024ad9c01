import Glibc
import HTTPMessages

/// Finds the end of a request's head while it arrives, looking at every byte once. RequestParser.swift then parses it.
struct HeadScanner {
  private var scanned = 0
  private var lineStart = 0
  private var lineCount = 0
  private var requestLine = RequestLineScanner()

  /// The length of the head; nil until all of it has arrived.
  ///
  /// - Parameter bytes: everything received of this request so far; each call sees more than the last.
  mutating func scan(_ bytes: Span<UInt8>, limits: Limits) throws(RequestError) -> Int? {
    while let feed = Self.firstLineFeed(in: bytes, from: scanned) {
      // RFC 9112 §2.2 lets a recipient accept a bare LF as a line end. Some proxies do and some do not, and such a
      // disagreement can be used to smuggle a request, so it is refused.
      guard feed > lineStart, bytes[feed - 1] == 0x0d else {
        // A line without a version is another protocol's.
        if lineCount == 0 { try requestLine.scan(bytes) }
        throw .malformed("A line of the request head ends with LF alone. Lines end with CR LF.")
      }
      let length = feed - 1 - lineStart
      try check(bytes, length: length, end: feed + 1, limits: limits)
      scanned = feed + 1
      lineStart = scanned
      if length == 0 { return scanned }
      lineCount += 1
    }
    scanned = bytes.count
    // A CR at the end may already belong to the line end, which does not count.
    let hasReturn = bytes.count > lineStart && bytes[bytes.count - 1] == 0x0d
    try check(bytes, length: bytes.count - lineStart - (hasReturn ? 1 : 0), end: bytes.count, limits: limits)
    try requestLine.scan(bytes)
    return nil
  }

  private func check(
    _ bytes: Span<UInt8>, length: Int, end: Int, limits: Limits
  ) throws(RequestError) {
    if lineCount == 0 && length > limits.maxRequestLine {
      let method = bytes.extracting(first: RequestHead.maxMethod + 1)
      guard method.withUnsafeBufferPointer({ $0.contains(0x20) }) else { throw .methodTooLong }
      throw RequestError(
        status: .uriTooLong,
        message: "The request line is longer than \(limits.maxRequestLine) bytes. Use a shorter URL.")
    }
    if end > limits.maxHead {
      throw RequestError(
        status: .headerFieldsTooLarge, message: "The request head is longer than \(limits.maxHead) bytes.")
    }
    // Neither the request line nor the empty line at the end is a field.
    if lineCount > limits.maxFieldCount && length > 0 {
      throw RequestError(
        status: .headerFieldsTooLarge, message: "The request has more than \(limits.maxFieldCount) header fields.")
    }
  }

  private static func firstLineFeed(in bytes: Span<UInt8>, from start: Int) -> Int? {
    bytes.extracting(start...).withUnsafeBytes { rest in
      guard let base = rest.baseAddress, let found = memchr(base, 0x0a, rest.count) else { return nil }
      return start + base.distance(to: UnsafeRawPointer(found))
    }
  }
}
