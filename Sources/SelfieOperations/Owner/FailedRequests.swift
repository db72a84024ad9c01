import HTTPMessages
import Platform
import SelfieAPI

/// The last requests that failed by the server's own fault, for its owner. They do not outlive the server.
final class FailedRequests: Sendable {
  struct FailedRequest: Encodable {
    let time: String
    /// Nil if the request could not be read, and so is the path.
    let method: String?
    let path: String?
    let status: Int
    let requestID: String?
  }

  private static let maxCount = 50
  private static let maxPathLength = 100

  private let state = Monitor<[FailedRequest]>([])

  /// The newest first.
  var last: [FailedRequest] { state.withLock { $0 } }

  /// Keeps a request whose response says that the server was at fault.
  ///
  /// - Parameters:
  ///   - head: of its request; nil if that could not be read.
  ///   - time: in Unix milliseconds.
  func note(_ response: Response, to head: RequestHead?, at time: Int64) {
    let failed = FailedRequest(
      time: Timestamp.text(unixMilliseconds: time),
      method: head.map { String(decoding: $0.methodName.prefix(10), as: UTF8.self) },
      path: head.map(Self.shownPath), status: response.status.code, requestID: response.fields["X-Request-Id"])
    state.withLock { $0 = [failed] + $0.prefix(Self.maxCount - 1) }
  }

  /// The path without secrets: no query, and no ids of photos.
  private static func shownPath(_ head: RequestHead) -> String {
    let path = head.path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { $0.count < Photo.idLength ? String(decoding: $0, as: UTF8.self) : "…" }
    return String(path.joined(separator: "/").prefix(maxPathLength))
  }
}
