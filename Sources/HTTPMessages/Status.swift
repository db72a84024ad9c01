/// A status code (RFC 9110 §15) with its reason phrase.
public struct Status: Sendable, Equatable {
  public let code: Int
  public let reason: StaticString

  /// Whether the response may have content. If not, it has no length either, and a client takes whatever follows for the
  /// next response (RFC 9110 §15.3.5 and §15.4.5, RFC 9112 §6.3).
  public var hasContent: Bool { code != 204 && code != 304 }

  private init(code: Int, reason: StaticString) {
    self.code = code
    self.reason = reason
  }

  /// The status of a code. Codes that servers rarely send have no phrase, as RFC 9112 §4 allows.
  public init(code: Int) {
    self = Self.common.first { $0.code == code } ?? Status(code: code, reason: "")
  }

  public static func == (left: Status, right: Status) -> Bool { left.code == right.code }

  public static let ok = Status(code: 200, reason: "OK")
  public static let created = Status(code: 201, reason: "Created")
  public static let noContent = Status(code: 204, reason: "No Content")
  public static let partialContent = Status(code: 206, reason: "Partial Content")
  public static let notModified = Status(code: 304, reason: "Not Modified")
  public static let badRequest = Status(code: 400, reason: "Bad Request")
  public static let unauthorized = Status(code: 401, reason: "Unauthorized")
  public static let forbidden = Status(code: 403, reason: "Forbidden")
  public static let notFound = Status(code: 404, reason: "Not Found")
  public static let methodNotAllowed = Status(code: 405, reason: "Method Not Allowed")
  public static let requestTimeout = Status(code: 408, reason: "Request Timeout")
  public static let conflict = Status(code: 409, reason: "Conflict")
  public static let lengthRequired = Status(code: 411, reason: "Length Required")
  public static let preconditionFailed = Status(code: 412, reason: "Precondition Failed")
  public static let contentTooLarge = Status(code: 413, reason: "Content Too Large")
  public static let uriTooLong = Status(code: 414, reason: "URI Too Long")
  public static let rangeNotSatisfiable = Status(code: 416, reason: "Range Not Satisfiable")
  public static let expectationFailed = Status(code: 417, reason: "Expectation Failed")
  public static let unprocessableContent = Status(code: 422, reason: "Unprocessable Content")
  public static let tooManyRequests = Status(code: 429, reason: "Too Many Requests")
  public static let headerFieldsTooLarge = Status(code: 431, reason: "Request Header Fields Too Large")
  public static let internalServerError = Status(code: 500, reason: "Internal Server Error")
  public static let notImplemented = Status(code: 501, reason: "Not Implemented")
  public static let serviceUnavailable = Status(code: 503, reason: "Service Unavailable")
  public static let versionNotSupported = Status(code: 505, reason: "HTTP Version Not Supported")
  public static let insufficientStorage = Status(code: 507, reason: "Insufficient Storage")

  private static let common: [Status] = [
    .ok, .noContent, .partialContent, .notModified, .badRequest, .unauthorized, .forbidden, .notFound,
    .methodNotAllowed,
    .requestTimeout, .lengthRequired, .preconditionFailed, .contentTooLarge, .uriTooLong, .rangeNotSatisfiable,
    .expectationFailed, .tooManyRequests, .headerFieldsTooLarge, .internalServerError, .notImplemented,
    .serviceUnavailable, .versionNotSupported, .insufficientStorage,
    .created, Status(code: 202, reason: "Accepted"),
    Status(code: 301, reason: "Moved Permanently"), Status(code: 302, reason: "Found"),
    Status(code: 307, reason: "Temporary Redirect"), Status(code: 308, reason: "Permanent Redirect"),
    Status(code: 409, reason: "Conflict"), Status(code: 410, reason: "Gone"),
    Status(code: 415, reason: "Unsupported Media Type"), .unprocessableContent,
    Status(code: 502, reason: "Bad Gateway"), Status(code: 504, reason: "Gateway Timeout"),
  ]
}
