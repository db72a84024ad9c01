/// Why a test's wish about what is stored is not met. Nothing was changed.
public struct StateError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Kind: Sendable {
    /// What was asked for cannot be stored.
    case invalid
    /// Something of this name is there already.
    case conflict
    /// What is spoken of is not there.
    case notFound
    /// There are as many as there may be.
    case full
  }

  public let kind: Kind
  /// What is wrong, each in a sentence; never empty.
  public let problems: [String]

  /// As many are told; beyond them only how many there are.
  static let mostProblems = 20

  package init(_ kind: Kind, _ problems: [String]) {
    self.kind = kind
    self.problems = problems
  }

  package init(_ kind: Kind, _ problem: String) {
    self.init(kind, [problem])
  }

  public var description: String {
    let told = problems.prefix(Self.mostProblems).joined(separator: " ")
    let rest = problems.count - Self.mostProblems
    return rest > 0 ? "\(told) And \(rest) more." : told
  }
}
