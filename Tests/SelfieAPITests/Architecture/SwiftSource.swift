import Foundation
import TestSupport

/// A file of Sources, taken apart into its code and its string literals.
struct SwiftSource: Sendable {
  /// As seen from Sources.
  let path: String
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
    let bytes = Array(text.utf8)
    var rest = bytes[...]
    var code: [UInt8] = []
    readCode(&rest, into: &code, endsAtParenthesis: false)
    self.code = String(decoding: code, as: UTF8.self)
  }

  var folder: String { path.split(separator: "/").dropLast().joined(separator: "/") }
  var name: String { path.split(separator: "/").last.map(String.init) ?? path }

  private mutating func readCode(_ rest: inout ArraySlice<UInt8>, into code: inout [UInt8], endsAtParenthesis: Bool) {
    var depth = 0
    while let byte = rest.first {
      if byte == UInt8(ascii: "/") && rest.starts(with: "//".utf8) {
        rest = rest.drop { $0 != UInt8(ascii: "\n") }
      } else if let (hashes, quotes) = Self.opening(of: rest) {
        rest = rest.dropFirst(hashes + quotes)
        readLiteral(&rest, into: &code, quotes: quotes, hashes: hashes)
        code += "\"\"".utf8
      } else {
        if byte == UInt8(ascii: "(") { depth += 1 }
        if byte == UInt8(ascii: ")") { depth -= 1 }
        rest.removeFirst()
        if endsAtParenthesis && depth < 0 { return }
        code.append(byte)
      }
    }
  }

  /// The numbers of number signs and quotes that begin a literal here; nil if none begins.
  private static func opening(of rest: ArraySlice<UInt8>) -> (hashes: Int, quotes: Int)? {
    guard rest.first == UInt8(ascii: "#") || rest.first == UInt8(ascii: "\"") else { return nil }
    let hashes = rest.prefix { $0 == UInt8(ascii: "#") }.count
    let quotes = rest.dropFirst(hashes).prefix(3).prefix { $0 == UInt8(ascii: "\"") }.count
    return quotes == 0 ? nil : (hashes, quotes == 3 ? 3 : 1)
  }

  private mutating func readLiteral(
    _ rest: inout ArraySlice<UInt8>, into code: inout [UInt8], quotes: Int, hashes: Int
  ) {
    let end =
      [UInt8](repeating: UInt8(ascii: "\""), count: quotes) + [UInt8](repeating: UInt8(ascii: "#"), count: hashes)
    let interpolation = "\\" + String(repeating: "#", count: hashes) + "("
    var literal: [UInt8] = []
    while let byte = rest.first, !rest.starts(with: end) {
      if byte == UInt8(ascii: "\\") && rest.starts(with: interpolation.utf8) {
        rest = rest.dropFirst(interpolation.utf8.count)
        readCode(&rest, into: &code, endsAtParenthesis: true)
        literal.append(UInt8(ascii: "$"))
      } else if byte == UInt8(ascii: "\\") && hashes == 0 {
        literal += rest.prefix(2)
        rest = rest.dropFirst(2)
      } else {
        literal.append(byte)
        rest.removeFirst()
      }
    }
    rest = rest.dropFirst(end.count)
    literals.append(String(decoding: literal, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
  }
}
