/// A request whose parameters cannot be read. It becomes a 400 with this message.
public struct ParameterError: Error, Sendable, Equatable {
  /// What is wrong and how to fix it, for the person at the client.
  public let message: String
  /// A more exact finding than the message; nil if there is none.
  public let detail: String?

  public init(message: String, detail: String? = nil) {
    self.message = message
    self.detail = detail
  }
}
