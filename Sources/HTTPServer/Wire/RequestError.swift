import HTTPMessages

/// A request that breaks the rules of HTTP or exceeds a limit. The client gets a response, and then the connection
/// closes, because it is not certain where the next request begins. An error in a body is a `BodyError` in
/// HTTPMessages, and one of the API an `APIError` in SelfieAPI.
struct RequestError: Error, Equatable {
  let status: Status
  /// What is wrong and how to fix it, for the client's developer.
  let message: String

  static func malformed(_ message: String) -> RequestError {
    RequestError(status: .badRequest, message: message)
  }
}
