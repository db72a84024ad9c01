/// Why a part of a test's surroundings does not work.
public struct NotPossible: Error, CustomStringConvertible {
  public let description: String

  public init(_ description: String) {
    self.description = description
  }
}
