import Glibc
import HTTPMessages

/// An answer that is not a success: the client gets its status and its message as a JSON object.
struct APIError: Error {
  let status: Status
  let message: String
  /// Which of the answers of this status it is, for programs; it is sent as `X-Error`.
  let reason: StaticString?
  /// The scheme in which the client should give its credentials (RFC 9110 §11.6.1).
  let challenge: AuthenticationScheme?
  /// After how many seconds another try makes sense (RFC 9110 §10.2.3).
  let retryAfter: Int?

  init(
    _ status: Status, _ message: String, reason: StaticString? = nil, challenge: AuthenticationScheme? = nil,
    retryAfter: Int? = nil
  ) {
    self.status = status
    self.message = message
    self.reason = reason
    self.challenge = challenge
    self.retryAfter = retryAfter
  }

  /// No endpoint has this path and method.
  static let notFound = APIError(.notFound, "Wrong URL or HTTP method")

  /// A parameter that the endpoint needs was not sent, or is null.
  static let parametersMissing = APIError(.badRequest, "required parameters are missing")

  /// The server has more to do than it can; nothing was done.
  static let busy = APIError(
    .serviceUnavailable, "The server is busy. Try again in a moment.", reason: "busy", retryAfter: 1)

  /// The disk holds no more.
  static let storageFull = APIError(
    .insufficientStorage, "The server's disk is full. Its owner must make room before anything can be stored.",
    reason: "storage_full")

  /// The disk does not do what it is asked for.
  ///
  /// - Parameter number: the errno; 0 where there is none.
  static func storageFailing(_ number: Int32, requestID: String) -> APIError {
    let cause = number == 0 ? "" : " (\(String(cString: strerror(number))))"
    return APIError(
      .internalServerError,
      """
      The server's storage cannot be used as it should\(cause). Its owner must look at the disk; the server's log says \
      more under the request id \(requestID).
      """, reason: "storage_failing")
  }
}
