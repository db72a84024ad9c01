import Foundation
import TestSupport

/// A file of Sources, with its code and its string literals apart.
struct SwiftSource: Sendable {
  /// As seen from Sources.
  let path: String
  /// What is left without comments and what string literals hold, in the same lines.
  let code: String
  /// What string literals hold. One with another literal in it, in an interpolation, counts as two.
  let literals: [String]
  /// A line of a comment each.
  let comments: [Substring]

  /// All files of Sources.
  static let all = paths(in: "Sources").map { path in
    SwiftSource(path: path, (try? String(contentsOfFile: "\(checkout)/Sources/\(path)", encoding: .utf8)) ?? "")
  }

  /// All files of Swift in a folder of the repository, as seen from there.
  static func paths(in folder: String) -> [String] {
    let paths = FileManager.default.enumerator(atPath: "\(checkout)/\(folder)")?.compactMap { $0 as? String } ?? []
    return paths.filter { $0.hasSuffix(".swift") }.sorted()
  }

  private init(path: String, _ text: String) {
    self.path = path
    let literal = #/"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"/#.matchingSemantics(.unicodeScalar)
    let marks = CharacterSet.whitespacesAndNewlines.union(CharacterSet(charactersIn: "\""))
    literals = text.matches(of: literal).map { $0.output.trimmingCharacters(in: marks) }
    let comment = #/\/\/.*/#.matchingSemantics(.unicodeScalar)
    let withoutLiterals = text.replacing(literal) { "\"\"" + $0.output.filter { $0 == "\n" } }
    comments = withoutLiterals.matches(of: comment).map(\.output)
    code = withoutLiterals.replacing(comment, with: "")
  }

  var folder: String { path.split(separator: "/").dropLast().joined(separator: "/") }
  var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}
