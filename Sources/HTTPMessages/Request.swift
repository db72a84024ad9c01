/// A request. Its body may still be arriving. Its line and fields are in `RequestHead`, and its content in
/// `RequestBody`. `Call` in SelfieAPI reads its parameters.
package struct Request: Sendable {
  package let head: RequestHead
  package let body: RequestBody
  /// The address of the client's socket, without its port: `127.0.0.1`, `::1`.
  package let peer: String
  /// Nil if the exchange is neither logged nor counted.
  package let context: RequestContext?

  package init(head: RequestHead, body: RequestBody, peer: String, context: RequestContext? = nil) {
    self.head = head
    self.body = body
    self.peer = peer
    self.context = context
  }

  /// A complete request, for callers without a socket.
  ///
  /// - Parameters:
  ///   - method: the method's name, such as `POST`.
  ///   - fields: names and values, without CR and LF.
  package init(
    _ method: String, _ target: String, fields: [(name: String, value: String)] = [], body: [UInt8] = [],
    peer: String = "127.0.0.1", version: RequestHead.Version = .http11
  ) {
    var bytes = Array("\(method) ".utf8)
    func append(_ text: String, then end: String) -> Range<Int> {
      let start = bytes.count
      bytes += text.utf8
      defer { bytes += end.utf8 }
      return start..<bytes.count
    }
    let target = append(target, then: " HTTP/1.\(version == .http11 ? 1 : 0)\r\n")
    let entries = fields.map { field -> Fields.Entry in
      let (name, value) = (append(field.name, then: ": "), append(field.value, then: "\r\n"))
      return (Int32(name.lowerBound)..<Int32(name.upperBound), Int32(value.lowerBound)..<Int32(value.upperBound))
    }
    bytes += "\r\n".utf8
    self.init(
      head: RequestHead(bytes: bytes, method: Method(method), target: target, version: version, entries: entries),
      body: body.isEmpty ? .none : RequestBody(body), peer: peer)
  }
}

/// A request that the server refuses, as far as it is known: it may have been refused before it was read.
package struct RefusedRequest: Sendable {
  /// Nil if it could not be read.
  package let head: RequestHead?
  /// As in `Request`.
  package let peer: String
  /// As in `Request`.
  package let context: RequestContext?

  package init(head: RequestHead?, peer: String, context: RequestContext?) {
    self.head = head
    self.peer = peer
    self.context = context
  }

  package init(_ request: Request) { self.init(head: request.head, peer: request.peer, context: request.context) }
}
