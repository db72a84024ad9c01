/// A request. Its body may still be arriving.
public struct Request: Sendable {
  public let head: RequestHead
  public let body: RequestBody
  /// The address of the client's socket, without its port: `127.0.0.1`, `::1`.
  public let peer: String
  /// Nil if nobody is told of the exchange.
  public let context: RequestContext?

  public init(head: RequestHead, body: RequestBody, peer: String, context: RequestContext? = nil) {
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
  public init(
    _ method: String, _ target: String, fields: [(name: String, value: String)] = [], body: [UInt8] = [],
    peer: String = "127.0.0.1", version: RequestHead.Version = .http11
  ) {
    var bytes = Array("\(method) ".utf8)
    let targetStart = bytes.count
    bytes += target.utf8
    let targetRange = targetStart..<bytes.count
    bytes += " HTTP/1.\(version == .http11 ? 1 : 0)\r\n".utf8
    var entries: [Fields.Entry] = []
    for (name, value) in fields {
      let nameStart = Int32(bytes.count)
      bytes += name.utf8
      let nameEnd = Int32(bytes.count)
      bytes += ": ".utf8
      let valueStart = Int32(bytes.count)
      bytes += value.utf8
      entries.append(.init(name: nameStart..<nameEnd, value: valueStart..<Int32(bytes.count)))
      bytes += "\r\n".utf8
    }
    bytes += "\r\n".utf8
    self.init(
      head: RequestHead(
        bytes: bytes, method: Method(method), target: targetRange, version: version, entries: entries),
      body: body.isEmpty ? .none : RequestBody(body), peer: peer)
  }
}
