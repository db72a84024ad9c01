import HTTPMessages

/// The application, as the server sees it.
public struct Responder: Sendable {
  /// Responds to a request. Runs on the event loop of its connection: work that blocks must go elsewhere.
  public let respond: @Sendable (Request) async -> Response
  /// Makes the response to a request that the server itself refuses, such as a malformed one. The head is nil if it could
  /// not be read.
  public let refuse: @Sendable (_ status: Status, _ message: String, _ head: RequestHead?) -> Response
  /// Called on each event loop's thread at the end of every turn, before the loop waits again.
  ///
  /// One turn may respond to many requests. The application can keep what they share, such as a snapshot of its
  /// database, until the turn ends; it must let go of it here, because the wait may last for ever.
  public let endOfTurn: @Sendable () -> Void

  public init(
    respond: @escaping @Sendable (Request) async -> Response,
    refuse: @escaping @Sendable (_ status: Status, _ message: String, _ head: RequestHead?) -> Response,
    endOfTurn: @escaping @Sendable () -> Void = {}
  ) {
    self.respond = respond
    self.refuse = refuse
    self.endOfTurn = endOfTurn
  }

  /// - Parameter refuse: makes the same response whatever the head.
  public init(
    respond: @escaping @Sendable (Request) async -> Response,
    refuse: @escaping @Sendable (_ status: Status, _ message: String) -> Response,
    endOfTurn: @escaping @Sendable () -> Void = {}
  ) {
    self.init(respond: respond, refuse: { status, message, _ in refuse(status, message) }, endOfTurn: endOfTurn)
  }
}
