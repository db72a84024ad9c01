import Platform

/// Why a test's request cannot be done. Nothing was changed. The client throws `ControlError` of
/// SelfieServerTesting for it.
package struct ControlError: Error, Sendable, Equatable, CustomStringConvertible {
  /// With the status of the response.
  package enum Kind: Int, Sendable {
    /// The test's data is invalid.
    case invalid = 400
    /// Something with this name exists already.
    case conflict = 409
    /// Something with this name does not exist.
    case notFound = 404
    /// A limit is reached.
    case full = 429
    /// The server stops, or the world is closed.
    case ended = 503
    /// The body of a request is too large.
    case tooLarge = 413
    /// The address has other methods.
    case methodNotAllowed = 405
    /// Credentials are missing or wrong.
    case unauthorized = 401
    /// The client is a page of another site.
    case forbidden = 403
  }

  package let kind: Kind
  /// One sentence for each problem; never empty.
  package let problems: [String]
  /// Header fields of the response, each with its CRLF.
  var fieldLines = ""

  /// The description contains this many problems and the number of the others.
  private static let maxProblems = 20

  package init(_ kind: Kind, _ problems: [String]) {
    self.kind = kind
    self.problems = problems
  }

  package init(_ kind: Kind, _ problem: String, fieldLines: String = "") {
    self.init(kind, [problem])
    self.fieldLines = fieldLines
  }

  static func invalid(_ problem: String) -> ControlError { ControlError(.invalid, problem) }

  package var description: String {
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
