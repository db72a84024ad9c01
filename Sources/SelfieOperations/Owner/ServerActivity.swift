import HTTPMessages
import Platform
import SelfieAPI

/// The recent activity of the server, for its owner. All of it is bounded, and none of it outlives the server.
final class ServerActivity: Sendable {
  struct ServerError: Encodable {
    let time: String
    /// Nil if the request could not be read, and so is the path.
    let method: String?
    let path: String?
    let status: Int
    let requestID: String?
  }

  private struct State {
    var errors: [ServerError] = []
    var requests = LatencyWindow()
  }

  private static let maxErrors = 50
  private static let maxPathLength = 100

  private let state = Monitor(State())

  /// The newest first.
  var lastErrors: [ServerError] { state.withLock(\.errors) }

  /// Keeps a response for the page if the server was at fault.
  ///
  /// - Parameters:
  ///   - head: of its request; nil if that could not be read.
  ///   - time: in Unix milliseconds.
  func note(_ response: Response, to head: RequestHead?, at time: Int64) {
    guard response.status.code >= 500 else { return }
    let error = ServerError(
      time: Timestamp.text(unixMilliseconds: time),
      method: head.map { String(decoding: $0.methodName.prefix(10), as: UTF8.self) },
      path: head.map(Self.shownPath), status: response.status.code, requestID: response.fields["X-Request-Id"])
    state.withLock { $0.errors = [error] + $0.errors.prefix(Self.maxErrors - 1) }
  }

  /// The path without secrets: no query, and no ids of photos.
  private static func shownPath(_ head: RequestHead) -> String {
    let path = head.path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { $0.count < Photo.idLength ? String(decoding: $0, as: UTF8.self) : "…" }
    return String(path.joined(separator: "/").prefix(maxPathLength))
  }

  /// Counts a request.
  ///
  /// - Parameter start: in monotonic nanoseconds.
  func count(since start: Int64) {
    let now = monotonicNanoseconds()
    state.withLock { $0.requests.add(microseconds: (now - start) / 1000, at: now / 1_000_000_000) }
  }

  /// How many requests there were in the last minute, and the microseconds that half and nearly all of them took at most.
  ///
  /// - Parameter secondsOpen: since when requests are counted.
  func requests(secondsOpen: Int64) -> [(name: StaticString, number: Int64?)] {
    let now = monotonicNanoseconds() / 1_000_000_000
    let (count, times) = state.withLock { $0.requests.summary(at: now, percents: [50, 99]) }
    let seconds = min(LatencyWindow.maxSeconds, max(1, secondsOpen))
    return [("count", count), ("seconds", seconds)] + zip(["median", "p99"], times).filter { $0.1 != nil }
  }
}
