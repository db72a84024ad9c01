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

  private static let maxErrors = 50
  private static let maxPathLength = 100

  private let errors = Monitor<[ServerError]>([])

  /// The newest first.
  var lastErrors: [ServerError] { errors.withLock { $0 } }

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
    errors.withLock { $0 = [error] + $0.prefix(Self.maxErrors - 1) }
  }

  /// The path without secrets: no query, and no ids of photos.
  private static func shownPath(_ head: RequestHead) -> String {
    let path = head.path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { $0.count < Photo.idLength ? String(decoding: $0, as: UTF8.self) : "…" }
    return String(path.joined(separator: "/").prefix(maxPathLength))
  }
}
