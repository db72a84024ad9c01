import Foundation
import TestSupport
import Testing

/// The pages for people: the README, Docs and the like.
@Suite struct MarkdownTests {
  private static let folders = [
    "", "Docs", "Docs/Contributing", "Benchmarks", "Examples/SelfieClient", "Tests/SelfieAPITests/Exchanges",
  ]

  private static func pages() throws -> [String] {
    try folders.flatMap { folder in
      try FileManager.default.contentsOfDirectory(atPath: "\(checkout)/\(folder)")
        .filter { $0.hasSuffix(".md") }.map { folder.isEmpty ? $0 : "\(folder)/\($0)" }
    }
  }

  private static func text(_ page: String) throws -> String {
    try String(contentsOfFile: "\(checkout)/\(page)", encoding: .utf8)
  }

  @Test func `every link from a page leads to a file, and to a heading where it names one`() throws {
    let pages = try Self.pages()
    #expect(pages.contains("README.md") && pages.contains("Docs/Settings.md"))
    for page in pages {
      for link in try Self.text(page).matches(of: /\]\(([^()\s]+)\)/).map(\.1) where !Self.isElsewhere(link, page) {
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let target = parts[0].isEmpty ? page : "\((page as NSString).deletingLastPathComponent)/\(parts[0])"
        #expect(FileManager.default.fileExists(atPath: "\(checkout)/\(target)"), "\(page): \(link)")
        if parts.count == 2 {
          #expect(try Self.headings(of: target).contains(String(parts[1])), "\(page): \(link)")
        }
      }
    }
  }

  /// Whether a link leads out of the repository. Two levels above the top are GitHub's own pages about it.
  private static func isElsewhere(_ link: Substring, _ page: String) -> Bool {
    link.contains("://") || link.hasPrefix("../../") && !page.contains("/")
  }

  /// A page's headings, as GitHub names them in links.
  private static func headings(of page: String) throws -> [String] {
    try text(page).split(separator: "\n").filter { $0.hasPrefix("#") }.map { line in
      let title = line.drop { $0 == "#" }.dropFirst().lowercased()
      return String(title.filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }).replacing(" ", with: "-")
    }
  }

  @Test func `the README is short enough to be read to its end`() throws {
    #expect(try Self.text("README.md").split(separator: "\n", omittingEmptySubsequences: false).count <= 151)
  }
}
