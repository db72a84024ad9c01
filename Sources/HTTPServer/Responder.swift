package import HTTPMessages

/// The application, as the server sees it. `Backend` in SelfieServer makes these functions, and `HTTPConnection` calls
/// them.
package struct Responder: Sendable {
  /// Responds to a request. Runs on the event loop of its connection: work that blocks goes to a `WorkerPool`.
  package let reply: @Sendable (Request) -> Reply
  /// Makes the response to a request that the server itself refuses.
  package let refuse: @Sendable (_ status: Status, _ message: String, RefusedRequest) -> Response
  /// Called on each event loop's thread at the end of every turn, before the loop waits again.
  ///
  /// One turn may respond to many requests. The application can keep things for them, such as a snapshot of its
  /// database, until the turn ends; it must let go of it here, because the wait may last for ever.
  package let endOfTurn: @Sendable () -> Void
  /// Called on the thread of the connection's event loop once the last byte of a response was handed to the kernel, or
  /// once the connection has ended before that. Nil if records are not wanted: then nothing is counted, and requests
  /// have no context.
  package let responseSent: (@Sendable (RequestRecord) -> Void)?

  package init(
    reply: @escaping @Sendable (Request) -> Reply,
    refuse: @escaping @Sendable (Status, String, RefusedRequest) -> Response,
    endOfTurn: @escaping @Sendable () -> Void = {},
    responseSent: (@Sendable (RequestRecord) -> Void)? = nil
  ) {
    self.reply = reply
    self.refuse = refuse
    self.endOfTurn = endOfTurn
    self.responseSent = responseSent
  }

  /// A responder that may wait with each response.
  package init(
    respond: @escaping @Sendable (Request) async -> Response,
    refuse: @escaping @Sendable (Status, String, RefusedRequest) -> Response,
    endOfTurn: @escaping @Sendable () -> Void = {},
    responseSent: (@Sendable (RequestRecord) -> Void)? = nil
  ) {
    self.init(
      reply: { request in .later { await respond(request) } }, refuse: refuse, endOfTurn: endOfTurn,
      responseSent: responseSent)
  }

  /// This responder behind middleware, of which the first gets a request first and its response last.
  package func behind(_ middleware: [any Middleware]) -> Responder {
    middleware.reversed().reduce(self) { next, one in
      Responder(
        reply: { one.handle($0, next: next.reply) },
        refuse: { status, message, request in
          var response = next.refuse(status, message, request)
          one.handle(refusal: &response, of: request)
          return response
        },
        endOfTurn: next.endOfTurn, responseSent: next.responseSent)
    }
  }
}
