/// A request whose parameters cannot be read. It becomes an answer of 400 with this message.
public struct ParameterError: Error, Sendable, Equatable {
  /// What is wrong and what would be right, for the person at the client.
  public let message: String

  /// An error that says `message` to the client.
  public init(message: String) {
    self.message = message
  }
}
