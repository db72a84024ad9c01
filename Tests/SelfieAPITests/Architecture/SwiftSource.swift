import Foundation
import TestSupport

/// A file of Sources, taken apart into its code and its string literals.
struct SwiftSource: Sendable {
  /// As seen from Sources.
  let path: String
  let lineCount: Int
  /// What is left without comments and string literals.
  private(set) var code = ""
  /// What string literals hold, with a dollar sign for each interpolation, which is code.
  private(set) var literals: [String] = []

  /// All files of Sources.
  static let all: [SwiftSource] = {
    let root = "\(checkout)/Sources"
    let paths = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
    return paths.filter { $0.hasSuffix(".swift") }.sorted().map { path in
      SwiftSource(path: path, (try? String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)) ?? "")
    }
  }()

  init(path: String, _ text: String) {
    self.path = path
    lineCount = text.count { $0 == "\n" }
    var rest = text[...]
    readCode(&rest, endsAtParenthesis: false)
  }

  var folder: String { path.split(separator: "/").dropLast().joined(separator: "/") }
  var name: String { path.split(separator: "/").last.map(String.init) ?? path }

  private mutating func readCode(_ rest: inout Substring, endsAtParenthesis: Bool) {
    var depth = 0
    while let character = rest.first {
      if rest.hasPrefix("//") {
        rest = rest.drop { $0 != "\n" }
      } else if let opening = rest.prefixMatch(of: /(#*)("""|")/) {
        rest.removeFirst(opening.0.count)
        readLiteral(&rest, quotes: String(opening.2), hashes: String(opening.1))
        code += "\"\""
      } else {
        if character == "(" { depth += 1 }
        if character == ")" { depth -= 1 }
        rest.removeFirst()
        if endsAtParenthesis && depth < 0 { return }
        code.append(character)
      }
    }
  }

  private mutating func readLiteral(_ rest: inout Substring, quotes: String, hashes: String) {
    var literal = ""
    while let character = rest.first, !rest.hasPrefix(quotes + hashes) {
      if rest.hasPrefix("\\" + hashes + "(") {
        rest.removeFirst(hashes.count + 2)
        readCode(&rest, endsAtParenthesis: true)
        literal.append("$")
      } else if character == "\\" && hashes.isEmpty {
        literal += rest.prefix(2)
        rest = rest.dropFirst(2)
      } else {
        literal.append(character)
        rest.removeFirst()
      }
    }
    rest = rest.dropFirst(quotes.count + hashes.count)
    literals.append(literal.trimmingCharacters(in: .whitespacesAndNewlines))
  }
}
