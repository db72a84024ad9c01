import HTTPMessages

/// A request and its response, once the response has been sent or the connection has ended.
public struct Exchange: Sendable {
  /// Nil if the request line could not be read.
  public let method: Method?
  /// Nil if the connection ended before there was a response.
  public let status: Status?
  /// Of the request's head, and of its content as far as it was read until then.
  public let bytesReceived: Int64
  /// Of the response, with its head. TLS adds some.
  public let bytesSent: Int64
  /// Whether the whole response was handed to the kernel.
  public let isComplete: Bool
  /// From the end of the request's head to the last byte of the response.
  public let nanoseconds: Int64
  /// The address of the client's socket, without its port.
  public let peer: String
  /// The number, within its server, of the event loop that has served it, and whose thread tells of it.
  public let loop: Int
  /// What the application has found out about the request.
  public let facts: RequestContext.Facts

  public init(
    method: Method?, status: Status?, bytesReceived: Int64, bytesSent: Int64, isComplete: Bool, nanoseconds: Int64,
    peer: String, loop: Int, facts: RequestContext.Facts
  ) {
    self.method = method
    self.status = status
    self.bytesReceived = bytesReceived
    self.bytesSent = bytesSent
    self.isComplete = isComplete
    self.nanoseconds = nanoseconds
    self.peer = peer
    self.loop = loop
    self.facts = facts
  }
}
