/// Why the stored data cannot be changed or exported as a test asks. Nothing was changed.
public struct StateError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Kind: Sendable {
    /// The given data is invalid.
    case invalid
    /// Something with this name exists already.
    case conflict
    /// Something with this name does not exist.
    case notFound
    /// A limit is reached.
    case full
  }

  public let kind: Kind
  /// One sentence for each problem; never empty.
  public let problems: [String]

  /// The description contains this many problems and the number of the others.
  private static let maxProblems = 20

  package init(_ kind: Kind, _ problems: [String]) {
    self.kind = kind
    self.problems = problems
  }

  package init(_ kind: Kind, _ problem: String) {
    self.init(kind, [problem])
  }

  public var description: String {
    let shown = problems.prefix(Self.maxProblems).joined(separator: " ")
    let rest = problems.count - Self.maxProblems
    return rest > 0 ? "\(shown) And \(rest) more." : shown
  }
}
