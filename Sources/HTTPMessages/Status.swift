/// A status code (RFC 9110 §15).
public struct Status: Sendable, Equatable {
  public let code: Int
  /// The reason phrase. Codes that servers rarely send have none, as RFC 9112 §4 allows.
  public let reason: StaticString

  private init(_ code: Int, _ reason: StaticString) {
    (self.code, self.reason) = (code, reason)
  }

  public init(code: Int) { self = Self.known.first { $0.code == code } ?? Status(code, "") }

  public static func == (one: Status, other: Status) -> Bool { one.code == other.code }

  /// Whether the response may have content. If not, it has no length either, and a client takes whatever follows for the
  /// next response (RFC 9110 §15.3.5 and §15.4.5, RFC 9112 §6.3).
  public var hasContent: Bool { code != 204 && code != 304 }

  public static let ok = Status(200, "OK")
  public static let created = Status(201, "Created")
  public static let noContent = Status(204, "No Content")
  public static let partialContent = Status(206, "Partial Content")
  public static let notModified = Status(304, "Not Modified")
  public static let badRequest = Status(400, "Bad Request")
  public static let unauthorized = Status(401, "Unauthorized")
  public static let forbidden = Status(403, "Forbidden")
  public static let notFound = Status(404, "Not Found")
  public static let methodNotAllowed = Status(405, "Method Not Allowed")
  public static let requestTimeout = Status(408, "Request Timeout")
  public static let conflict = Status(409, "Conflict")
  public static let preconditionFailed = Status(412, "Precondition Failed")
  public static let contentTooLarge = Status(413, "Content Too Large")
  public static let uriTooLong = Status(414, "URI Too Long")
  public static let unsupportedMediaType = Status(415, "Unsupported Media Type")
  public static let rangeNotSatisfiable = Status(416, "Range Not Satisfiable")
  public static let expectationFailed = Status(417, "Expectation Failed")
  public static let unprocessableContent = Status(422, "Unprocessable Content")
  public static let tooManyRequests = Status(429, "Too Many Requests")
  public static let headerFieldsTooLarge = Status(431, "Request Header Fields Too Large")
  public static let internalServerError = Status(500, "Internal Server Error")
  public static let notImplemented = Status(501, "Not Implemented")
  public static let serviceUnavailable = Status(503, "Service Unavailable")
  public static let versionNotSupported = Status(505, "HTTP Version Not Supported")
  public static let insufficientStorage = Status(507, "Insufficient Storage")

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
