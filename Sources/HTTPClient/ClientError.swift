/// Why there is no response.
public enum ClientError: Error, Equatable, CustomStringConvertible {
  /// The host has no address, or nobody listens there.
  case unreachable(String)
  case timedOut(String)
  /// The connection ended before the response did.
  case lost(String)
  /// The server has not shown that it is the one that was meant.
  case untrusted(String)
  /// The server does not speak HTTP as it should, or its response is longer than allowed.
  case malformedResponse(String)
  /// What was to be sent cannot be read.
  case unreadableContent(String)
  /// The request could not be made, such as for a lack of memory.
  case failed(String)

  public var description: String {
    switch self {
    case .unreachable(let reason), .timedOut(let reason), .lost(let reason), .untrusted(let reason),
      .malformedResponse(let reason), .unreadableContent(let reason), .failed(let reason):
      reason
    }
  }
}
