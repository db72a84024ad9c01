/// A promise that the server has broken.
public struct Violation: Error, CustomStringConvertible {
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}
