import Synchronization

/// The application's findings about a request while it handles it, for the log and the metrics. `RequestRecord` in
/// HTTPServer has what the server itself knows about the exchange.
///
/// The client may vanish while a handler is still at work, so it is kept here and not with the response.
package final class RequestContext: Sendable {
  package struct Facts: Sendable {
    /// The pattern of the request's path, such as `/photos/:id`; nil if no route has its path.
    package var route: StaticString?
    package var userID: Int64?
    /// The value of X-Request-Id; empty if the response has none.
    package var requestID: [UInt8] = []
    /// The trace of which the request is a part (W3C Trace Context): 32 hexadecimal digits, or empty.
    package var traceID: [UInt8] = []
    /// The client's address before trusted proxies; nil if it is the peer's, or is not known.
    package var client: String?
    /// Why the request was refused: a line of printable ASCII.
    package var errorDetail: String?
  }

  private let state = Mutex(Facts())

  package init() {}

  package var facts: Facts { state.withLock { $0 } }

  package func note(_ change: (inout Facts) -> Void) { state.withLock { change(&$0) } }
}
