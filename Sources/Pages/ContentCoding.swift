package import HTTPMessages
package import Platform

// Which clients get compressed text, and responses that are made for one client. `PageFile` keeps its files compressed.

extension Request {
  /// Bytes of Accept-Encoding. A browser's has thirty, and to look at each element of thousands takes an event loop a
  /// millisecond.
  private static var maxEncodings: Int { 1024 }

  var acceptsGzip: Bool {
    let isShort = head.fields.all(.acceptEncoding).reduce(0) { $0 + $1.count } <= Self.maxEncodings
    return isShort && head.fields.hasElement(.acceptEncoding, where: Self.isGzip)
  }

  /// Whether an element of Accept-Encoding is gzip, and its weight is not zero (RFC 9110 §12.5.3).
  private static func isGzip(_ element: ArraySlice<UInt8>) -> Bool {
    let coding = element.prefix { $0 != UInt8(ascii: ";") }
    guard coding.trimmed.equalsIgnoringCase("gzip") else { return false }
    let weight = try? FieldParameters(element[coding.endIndex...], of: "Accept-Encoding")["q".utf8]
    return weight?.contains { $0 != UInt8(ascii: "0") && $0 != UInt8(ascii: ".") } ?? true
  }
}

extension Response {
  /// Bytes of a body. A shorter one fits into a few packets.
  private static var minCompressedBytes: Int { 4096 }

  /// The response with its body compressed, if that is long and the client can read it.
  ///
  /// - Parameter pool: compresses. While it has too much to do, the body is sent as it is.
  package func compressed(for request: Request, by pool: WorkerPool) async -> Response {
    guard let content = body.content, content.count >= Self.minCompressedBytes else { return self }
    var response = self
    response.fields.append("Vary", "Accept-Encoding" as StaticString)
    guard request.acceptsGzip, let compressed = try? await pool.run({ Gzip.compressed(content) }) else {
      return response
    }
    response.fields.append("Content-Encoding", "gzip" as StaticString)
    response.body = .bytes(compressed)
    return response
  }
}
