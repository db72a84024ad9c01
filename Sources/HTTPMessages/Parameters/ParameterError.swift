/// A request whose parameters cannot be read. It becomes a 400 with this message. A request that is refused for another
/// reason gets an `APIError` in SelfieAPI.
package struct ParameterError: Error, Sendable, Equatable {
  /// What is wrong and how to fix it, for the person at the client.
  package let message: String
  /// A more exact finding than the message; nil if there is none.
  package let detail: String?
  /// The byte of the body at which it was found, from 0; nil if no byte is to blame.
  package let offset: Int?

  package init(message: String, detail: String? = nil, offset: Int? = nil) {
    self.message = message
    self.detail = detail
    self.offset = offset
  }

  /// The error, found at a byte of the body.
  func at(_ offset: Int) -> ParameterError { ParameterError(message: message, detail: detail, offset: offset) }
}
