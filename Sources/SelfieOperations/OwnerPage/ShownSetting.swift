/// A setting in force, as the owner's page shows it.
public struct ShownSetting: Sendable, Equatable {
  public let name: String
  /// The default if it is not set; nil if it has none. Secrets are masked.
  public let value: String?
  /// Where it was set; nil if it was not.
  public let source: String?

  public init(name: String, value: String?, source: String?) {
    self.name = name
    self.value = value
    self.source = source
  }
}
