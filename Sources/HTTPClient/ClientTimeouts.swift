/// How long a request may take.
public struct ClientTimeouts: Sendable {
  /// Milliseconds for the address, the connection and the TLS handshake.
  public var connect: Int64 = 5_000
  /// Seconds in which less than a byte a second moves, also while the server prepares its response.
  public var stalled = 20
  /// Milliseconds for a request that moves little.
  public var base: Int64 = 30_000
  /// What is added for each byte that a request may move.
  public var minBytesPerSecond: Int64 = 64 * 1024

  public init() {}

  /// Milliseconds for a whole request.
  package func whole(forBytes count: Int64) -> Int64 {
    let (milliseconds, isTooMuch) = count.multipliedReportingOverflow(by: 1000)
    return isTooMuch ? Self.maxWhole : min(Self.maxWhole, base + milliseconds / max(1, minBytesPerSecond))
  }

  /// A day. libcurl takes a `long`.
  private static let maxWhole: Int64 = 86_400_000
}
