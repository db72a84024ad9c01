import HTTPMessages

/// A response of the control interface that is not a success.
struct ControlError: Error {
  let status: Status
  /// What is wrong, and how to put it right.
  let message: String
  /// The methods of the address (RFC 9110 §15.5.6).
  var allowed: String?
  /// Whether to ask for credentials, since some clients send theirs only then (RFC 9110 §11.6.1).
  var asksForCredentials = false

  init(_ status: Status, _ message: String) {
    self.status = status
    self.message = message
  }

  static func badRequest(_ message: String) -> ControlError {
    ControlError(.badRequest, message)
  }

  static func methodNotAllowed(_ allowed: String) -> ControlError {
    var error = ControlError(.methodNotAllowed, "This address answers \(allowed) only.")
    error.allowed = allowed
    return error
  }

  private static func unauthorized(_ message: String) -> ControlError {
    var error = ControlError(.unauthorized, message)
    error.asksForCredentials = true
    return error
  }

  static let notFound = ControlError(
    .notFound, "The control interface has no such address. GET /__admin/ lists those that it has.")

  static let foreignPage = ControlError(
    .forbidden, "The control interface answers programs, and no web page of another site.")

  static let denied = unauthorized(
    """
    The control interface answers programs on its own machine, which ask for localhost or 127.0.0.1, and whoever \
    sends the API's name and password by HTTP Basic.
    """)

  static let unknownWorld = unauthorized(
    """
    There is no world of the name in X-Test-World. Programs on the server's own machine make one by naming it, and so \
    does whoever sends the API's name and password by HTTP Basic.
    """)
}
