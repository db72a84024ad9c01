import HTTPMessages

/// A request that the server itself refuses, such as a malformed one.
public struct RefusedRequest: Sendable {
  public let status: Status
  public let message: String
  /// Nil if it could not be read.
  public let head: RequestHead?
  /// Nil if nobody is told of the exchange.
  public let context: RequestContext?

  public init(status: Status, message: String, head: RequestHead?, context: RequestContext?) {
    self.status = status
    self.message = message
    self.head = head
    self.context = context
  }
}
