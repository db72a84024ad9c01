import Synchronization

/// The application's findings about a request while it handles it, for the log and the metrics.
///
/// The client may vanish while a handler is still at work, so it is kept here and not with the response.
public final class RequestContext: Sendable {
  public struct Facts: Sendable {
    /// The pattern of the request's path, such as `/photos/:id`; nil if no route has its path.
    public var route: StaticString?
    public var userID: Int64?
    /// The value of X-Request-Id; empty if the response has none.
    public var requestID: [UInt8] = []
    /// The trace of which the request is a part (W3C Trace Context): 32 hexadecimal digits, or empty.
    public var traceID: [UInt8] = []
    /// The client's address before trusted proxies; nil if it is the peer's, or is not known.
    public var client: String?
    /// Why the request was refused: a line of printable ASCII.
    public var errorDetail: String?
  }

  private let state = Mutex(Facts())

  public init() {}

  public var facts: Facts { state.withLock { $0 } }

  public func note(_ change: (inout Facts) -> Void) { state.withLock { change(&$0) } }
}
