package import HTTPMessages

// Refusals of the control interface. The API has `APIError` in SelfieAPI.

/// Why a test's request cannot be done. Nothing was changed. The client throws `ControlError` of SelfieServerTesting
/// for it.
package struct ControlError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Of the response: 409 if something of this name exists already, 429 if a limit is reached, 503 if the server stops or
  /// the world is closed.
  package let status: Status
  /// One sentence for each problem; never empty.
  package let problems: [String]
  /// Header fields of the response, each with its CRLF.
  var fieldLines = ""

  /// The description contains this many problems and the number of the others.
  private static let maxProblems = 20

  package init(_ status: Status, _ problems: [String]) {
    self.status = status
    self.problems = problems
  }

  package init(_ status: Status, _ problem: String, fieldLines: String = "") {
    self.init(status, [problem])
    self.fieldLines = fieldLines
  }

  static func invalid(_ problem: String) -> ControlError { ControlError(.badRequest, problem) }

  package var description: String {
    let shown = problems.prefix(Self.maxProblems).joined(separator: " ")
    let rest = problems.count - Self.maxProblems
    return rest > 0 ? "\(shown) And \(rest) more." : shown
  }
}

/// Collects what is wrong with a document: sentences that begin with the place of each mistake.
struct Problems {
  private(set) var sentences: [String] = []

  mutating func add(_ sentence: String) { sentences.append(sentence) }

  /// Throws everything that is wrong.
  func check() throws(ControlError) {
    guard sentences.isEmpty else { throw ControlError(.badRequest, sentences) }
  }
}
