/// A status code (RFC 9110 §15). The messages that clients get are in errors such as `APIError` in SelfieAPI.
/// `RequestError` in HTTPServer has those of the server itself.
package struct Status: Sendable, Equatable {
  package let code: Int
  /// The reason phrase. Codes that servers rarely send have none, as RFC 9112 §4 allows.
  package let reason: StaticString

  private init(_ code: Int, _ reason: StaticString) {
    (self.code, self.reason) = (code, reason)
  }

  package init(code: Int) { self = Self.known.first { $0.code == code } ?? Status(code, "") }

  package static func == (one: Status, other: Status) -> Bool { one.code == other.code }

  /// Whether the response may have content. If not, it has no length either, and a client takes whatever follows for the
  /// next response (RFC 9110 §15.3.5 and §15.4.5, RFC 9112 §6.3).
  package var hasContent: Bool { code != 204 && code != 304 }

  package static let ok = Status(200, "OK")
  package static let created = Status(201, "Created")
  package static let noContent = Status(204, "No Content")
  package static let partialContent = Status(206, "Partial Content")
  package static let notModified = Status(304, "Not Modified")
  package static let badRequest = Status(400, "Bad Request")
  package static let unauthorized = Status(401, "Unauthorized")
  package static let forbidden = Status(403, "Forbidden")
  package static let notFound = Status(404, "Not Found")
  package static let methodNotAllowed = Status(405, "Method Not Allowed")
  package static let requestTimeout = Status(408, "Request Timeout")
  package static let conflict = Status(409, "Conflict")
  package static let preconditionFailed = Status(412, "Precondition Failed")
  package static let contentTooLarge = Status(413, "Content Too Large")
  package static let uriTooLong = Status(414, "URI Too Long")
  package static let unsupportedMediaType = Status(415, "Unsupported Media Type")
  package static let rangeNotSatisfiable = Status(416, "Range Not Satisfiable")
  package static let expectationFailed = Status(417, "Expectation Failed")
  package static let unprocessableContent = Status(422, "Unprocessable Content")
  package static let tooManyRequests = Status(429, "Too Many Requests")
  package static let headerFieldsTooLarge = Status(431, "Request Header Fields Too Large")
  package static let internalServerError = Status(500, "Internal Server Error")
  package static let notImplemented = Status(501, "Not Implemented")
  package static let serviceUnavailable = Status(503, "Service Unavailable")
  package static let versionNotSupported = Status(505, "HTTP Version Not Supported")
  package static let insufficientStorage = Status(507, "Insufficient Storage")

  private static let known = [
    ok, created, noContent, partialContent, notModified, badRequest, unauthorized, forbidden, notFound,
    methodNotAllowed, requestTimeout, conflict, preconditionFailed, contentTooLarge, uriTooLong, unsupportedMediaType,
    rangeNotSatisfiable, expectationFailed, unprocessableContent, tooManyRequests, headerFieldsTooLarge,
    internalServerError, notImplemented, serviceUnavailable, versionNotSupported, insufficientStorage,
    Status(202, "Accepted"),
    Status(301, "Moved Permanently"), Status(302, "Found"), Status(307, "Temporary Redirect"),
    Status(308, "Permanent Redirect"), Status(410, "Gone"), Status(411, "Length Required"),
    Status(502, "Bad Gateway"), Status(504, "Gateway Timeout"),
  ]
}
