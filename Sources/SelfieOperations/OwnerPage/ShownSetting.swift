/// A setting in force, as the owner's page shows it.
public struct ShownSetting: Sendable, Equatable {
  public let name: String
  /// Nil if it is not set, so that its default is in force. Secrets are masked.
  public let value: String?
  /// Where it was set.
  public let source: String?

  public init(name: String, value: String?, source: String?) {
    self.name = name
    self.value = value
    self.source = source
  }
}
