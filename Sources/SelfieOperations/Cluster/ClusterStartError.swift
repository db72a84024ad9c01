import Platform

/// Why a cluster's database and object store cannot be used, with everything that is wrong with either.
/// `ClusterPatience` in SelfieServer decides whether to try again.
package struct ClusterStartError: Error, CustomStringConvertible {
  /// How long a server waits at its start for a problem to pass, in milliseconds.
  package enum Patience: Int64, Sendable {
    /// A wrong setting does not pass.
    case none = 0
    /// Whoever starts the object store may make the bucket next.
    case bucket = 10_000
    /// A restart, or another server that takes over.
    case server = 120_000
  }

  /// - `text`: a sentence that names the setting.
  package typealias Problem = (text: String, patience: Patience)

  package let problems: [Problem]

  package init(_ problems: [Problem]) {
    self.problems = problems
  }

  package var description: String { ConfigurationError(problems: problems.map(\.text)).description }
}
