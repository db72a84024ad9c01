import HTTPClient
import HTTPMessages
import Platform

/// What a response of an object store means.
enum ResponseCheck {
  /// - Parameters:
  ///   - method: of the request.
  ///   - now: Unix seconds.
  /// - Throws: the error that a response is.
  static func check(
    _ response: ClientResponse, to method: ClientRequest.Method, now: Int64
  ) throws(ObjectStoreError) {
    if response.isSuccessful { return }
    let code = ErrorDocument.code(in: response.body)
    // A wrong bucket is a wrong setting. Its objects must not seem to be deleted. And PUT needs no object.
    if response.status == 404, code != "NoSuchBucket", method != .put { throw .missing }
    guard isTransient(response.status, code) else { throw .refused(status: response.status, code: code) }
    throw .unavailable(
      reason: "it responded \(response.status)\(code.map { " \($0)" } ?? "")",
      retryAfterSeconds: retryAfter(response, now: now))
  }

  private static func isTransient(_ status: Int, _ code: String?) -> Bool {
    switch status {
    case 408, 429: true
    // Not implemented, not in this version of HTTP, and no room.
    case 501, 505, 507: false
    case 500...599: true
    // What Amazon says to a client whose bytes come slowly, and of a change that another one was in the way of.
    case 400: code == "RequestTimeout"
    case 409: code == "OperationAborted" || code == "ConditionalRequestConflict"
    default: false
    }
  }

  /// Retry-After in seconds (RFC 9110 §10.2.3); nil without one that can be read.
  private static func retryAfter(_ response: ClientResponse, now: Int64) -> Int64? {
    guard let text = response["retry-after"] else { return nil }
    if text.utf8.allSatisfy(\.isASCIIDigit) { return Int64(text) }
    return HTTPDate(Array(text.utf8)[...], now: now).map { max(0, $0.unixSeconds - now) }
  }
}
