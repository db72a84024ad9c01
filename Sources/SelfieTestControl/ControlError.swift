import Platform

/// Why a test's request cannot be done. Nothing was changed.
public struct ControlError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Kind: Sendable {
    /// The test's data is invalid.
    case invalid
    /// Something with this name exists already.
    case conflict
    /// Something with this name does not exist.
    case notFound
    /// A limit is reached.
    case full
    /// The server stops, or the world is closed.
    case ended
    /// The body of a request is too large.
    case tooLarge
    /// The address has other methods.
    case methodNotAllowed
    /// Credentials are missing or wrong.
    case unauthorized
    /// The client is a page of another site.
    case forbidden
  }

  public let kind: Kind
  /// One sentence for each problem; never empty.
  public let problems: [String]
  /// Header fields of the response, each with its CRLF.
  var fieldLines = ""

  /// The description contains this many problems and the number of the others.
  private static let maxProblems = 20

  package init(_ kind: Kind, _ problems: [String]) {
    self.kind = kind
    self.problems = problems
  }

  package init(_ kind: Kind, _ problem: String) {
    self.init(kind, [problem])
  }

  static func invalid(_ problem: String) -> ControlError { ControlError(.invalid, problem) }

  public var description: String {
    let shown = problems.prefix(Self.maxProblems).joined(separator: " ")
    let rest = problems.count - Self.maxProblems
    return rest > 0 ? "\(shown) And \(rest) more." : shown
  }
}

// The names that tests give to worlds and snapshots.
extension String {
  /// The end of a sentence about a name.
  static let resourceNameRule = "1 to 64 letters, digits, dots, hyphens and underscores, but not . or .."

  /// Whether a text is a name. `.` and `..` are not, since clients remove them from paths together with the segment before
  /// (RFC 3986 §5.2.4).
  var isResourceName: Bool {
    (1...64).contains(utf8.count) && self != "." && self != ".."
      && utf8.allSatisfy { $0.isASCIIAlphanumeric || ".-_".utf8.contains($0) }
  }
}
