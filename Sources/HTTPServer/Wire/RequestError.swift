import HTTPMessages

/// A request that breaks the rules of HTTP, or goes beyond a limit: it is answered, and the
/// connection ends, since where the next request begins is no longer certain.
struct RequestError: Error, Equatable {
  let status: Status
  /// What is wrong and what would be right, for people.
  let message: String

  static func malformed(_ message: String) -> RequestError {
    RequestError(status: .badRequest, message: message)
  }
}
