import HTTPMessages

/// The application, as the server sees it.
public struct Service: Sendable {
  /// Answers a request. Runs on the event loop of its connection: what blocks must go elsewhere.
  public let respond: @Sendable (Request) async -> Response
  /// Words the server's own refusals, such as those of malformed requests.
  public let refuse: @Sendable (_ status: Status, _ message: String) -> Response
  /// Runs a turn of an event loop, in which it answers what has come since the last: the place to have
  /// what the answers of a turn can share. It must call its argument once.
  public let turn: @Sendable (_ turn: () -> Void) -> Void

  public init(
    respond: @escaping @Sendable (Request) async -> Response,
    refuse: @escaping @Sendable (_ status: Status, _ message: String) -> Response,
    turn: @escaping @Sendable (_ turn: () -> Void) -> Void = { $0() }
  ) {
    self.respond = respond
    self.refuse = refuse
    self.turn = turn
  }
}
