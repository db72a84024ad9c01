/// A status code (RFC 9110 §15).
public struct Status: Sendable, Equatable {
  public let code: Int

  public init(code: Int) {
    self.code = code
  }

  /// Whether the response may have content. If not, it has no length either, and a client takes whatever follows for the
  /// next response (RFC 9110 §15.3.5 and §15.4.5, RFC 9112 §6.3).
  public var hasContent: Bool { code != 204 && code != 304 }

  public static let ok = Status(code: 200)
  public static let created = Status(code: 201)
  public static let noContent = Status(code: 204)
  public static let partialContent = Status(code: 206)
  public static let notModified = Status(code: 304)
  public static let badRequest = Status(code: 400)
  public static let unauthorized = Status(code: 401)
  public static let forbidden = Status(code: 403)
  public static let notFound = Status(code: 404)
  public static let methodNotAllowed = Status(code: 405)
  public static let requestTimeout = Status(code: 408)
  public static let conflict = Status(code: 409)
  public static let preconditionFailed = Status(code: 412)
  public static let contentTooLarge = Status(code: 413)
  public static let uriTooLong = Status(code: 414)
  public static let rangeNotSatisfiable = Status(code: 416)
  public static let expectationFailed = Status(code: 417)
  public static let unprocessableContent = Status(code: 422)
  public static let tooManyRequests = Status(code: 429)
  public static let headerFieldsTooLarge = Status(code: 431)
  public static let internalServerError = Status(code: 500)
  public static let notImplemented = Status(code: 501)
  public static let serviceUnavailable = Status(code: 503)
  public static let versionNotSupported = Status(code: 505)
  public static let insufficientStorage = Status(code: 507)

  /// The reason phrase. Codes that servers rarely send have none, as RFC 9112 §4 allows.
  public var reason: StaticString {
    switch code {
    case 200: "OK"
    case 201: "Created"
    case 202: "Accepted"
    case 204: "No Content"
    case 206: "Partial Content"
    case 301: "Moved Permanently"
    case 302: "Found"
    case 304: "Not Modified"
    case 307: "Temporary Redirect"
    case 308: "Permanent Redirect"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 410: "Gone"
    case 411: "Length Required"
    case 412: "Precondition Failed"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 415: "Unsupported Media Type"
    case 416: "Range Not Satisfiable"
    case 417: "Expectation Failed"
    case 422: "Unprocessable Content"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 502: "Bad Gateway"
    case 503: "Service Unavailable"
    case 504: "Gateway Timeout"
    case 505: "HTTP Version Not Supported"
    case 507: "Insufficient Storage"
    default: ""
    }
  }
}
