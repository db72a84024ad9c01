import HTTPMessages
import SelfieAPI

/// A request that failed by the server's own fault, for its owner. `RunningServer` has the last ones.
struct FailedRequest: Encodable {
  static let maxCount = 50
  private static let maxPathLength = 100

  let time: String
  /// Nil if the request could not be read, and so is the path.
  let method: String?
  /// Without secrets: no query, and no ids of photos.
  let path: String?
  let status: Int
  let requestID: String?
}

extension FailedRequest {
  /// - Parameters:
  ///   - response: says that the server was at fault.
  ///   - head: of its request; nil if that could not be read.
  ///   - time: in Unix milliseconds.
  init(_ response: Response, to head: RequestHead?, at time: Int64) {
    let path = head.map { head in
      head.path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        .map { $0.count < Photo.idLength ? String(decoding: $0, as: UTF8.self) : "…" }.joined(separator: "/")
    }
    self.init(
      time: Timestamp.text(unixMilliseconds: time),
      method: head.map { String(decoding: $0.methodName.prefix(10), as: UTF8.self) },
      path: path.map { String($0.prefix(Self.maxPathLength)) }, status: response.status.code,
      requestID: response.fields["X-Request-Id"])
  }
}
