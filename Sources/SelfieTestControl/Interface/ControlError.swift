import HTTPMessages

/// A response of the control interface that is not a success.
struct ControlError: Error {
  let status: Status
  /// What is wrong, and how to put it right.
  let message: String
  /// The methods of the address (RFC 9110 §15.5.6).
  var allowed: String?
  /// The realm for which to ask for credentials, since some clients send theirs only then (RFC 9110 §11.6.1).
  var realm: StaticString?
  /// The seconds after which to try again.
  var retryAfter: Int?

  init(_ status: Status, _ message: String) {
    self.status = status
    self.message = message
    // A client that is told to come again is told when.
    if status == .serviceUnavailable { retryAfter = 1 }
  }

  static func badRequest(_ message: String) -> ControlError {
    ControlError(.badRequest, message)
  }

  static func methodNotAllowed(_ allowed: String) -> ControlError {
    var error = ControlError(.methodNotAllowed, "This address answers \(allowed) only.")
    error.allowed = allowed
    return error
  }

  /// - Parameter wait: milliseconds.
  static func tooManyGuesses(wait: Int64) -> ControlError {
    let seconds = Int((wait + 999) / 1000)
    var error = ControlError(
      .tooManyRequests, "Too many wrong credentials. Try again in \(seconds) seconds.")
    error.retryAfter = seconds
    return error
  }

  private static func unauthorized(realm: StaticString, _ message: String) -> ControlError {
    var error = ControlError(.unauthorized, message)
    error.realm = realm
    return error
  }

  static let notFound = ControlError(
    .notFound, "The control interface has no such address. GET /__admin/ lists those that it has.")

  static let foreignPage = ControlError(
    .forbidden, "The control interface answers programs, and no web page of another site.")

  static let denied = unauthorized(
    realm: "Control interface",
    """
    The control interface asks for its own name and password by HTTP Basic: CONTROL_NAME and CONTROL_PASSWORD, or those \
    that the server has written to standard output and to its ready file. Only programs on the machine of a server that \
    keeps nothing need none. They must ask for localhost or 127.0.0.1, and not through a proxy.
    """)

  static let unknownWorld = unauthorized(
    realm: "Application",
    """
    There is no world of the name in X-Test-World. A request to the control interface that names it makes it. On a \
    server that keeps nothing, a request to the API does so too, if it comes from a program on the server's own machine \
    or has the API's name and password by HTTP Basic.
    """)
}
