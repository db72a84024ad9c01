import Foundation
import TestSupport
import Testing

/// The documentation on the server, `/pages/docs.html`, in a real browser.
@Suite(.timeLimit(.minutes(10)), .enabled(if: Chromium.isInstalled)) struct DocsPageTests {
  private func open(_ name: String, on page: BrowserPage) async throws {
    try await page.open("\(PageServers.forVisitors.value.origin())/pages/docs.html?\(name)")
    try await page.wait(for: "document.querySelector('#main h1') && document.querySelector('#names a')")
  }

  @Test func `every page of Docs is in the contents, and every link leads to a heading or a file that there is`()
    async throws
  {
    var links: [(from: String, to: String)] = []
    var anchors: [String: Set<String>] = [:]
    let files = try FileManager.default.subpathsOfDirectory(atPath: "\(checkout)/Docs").filter { $0.hasSuffix(".md") }
    let page = try await Browser.shared().page()
    try await page.resize(width: 320, height: 800)
    for name in files.map({ ($0 as NSString).lastPathComponent }) {
      try await open(name, on: page)
      let inContents = "[...document.querySelectorAll('#names a')].some(link => link.href.endsWith('?\(name)'))"
      #expect(try await page.evaluate(inContents) == .bool(name != "README.md"), "\(name)")
      let hrefs = "[...document.querySelectorAll('#main a')].map(link => link.getAttribute('href'))"
      links += try await page.evaluate(hrefs).elements.compactMap(\.text).map { (name, $0) }
      let ids = "[...document.querySelectorAll('#main [id]')].map(element => element.id)"
      anchors[name] = Set(try await page.evaluate(ids).elements.compactMap(\.text))
      let markdown = #/\]\(|\*\*|\n#+ |\n\||```|\n- /#
      let prose = "[...document.querySelectorAll('#main > :not(pre)')].map(element => element.innerText).join('\\n')"
      let text = try #require(try await page.evaluate(prose).text)
      #expect(text.firstMatch(of: markdown).map { String($0.output) } == nil, "\(name)")
      let isTooWide = try await page.scrollsSideways()
      #expect(!isTooWide, "\(name)")
    }
    try await page.end()
    #expect(links.count > 150)
    for (from, to) in links where !to.hasPrefix("http") && to != "openapi.yaml" {
      let parts = to.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      let name = parts[0].isEmpty ? from : String(parts[0].dropFirst())
      #expect(anchors[name].map { parts.count == 1 || $0.contains(String(parts[1])) } == true, "\(from): \(to)")
    }
  }

  @Test func `a search finds the sections that have all words, those with one in the heading first`() async throws {
    let page = try await Browser.shared().page()
    try await open("README.md", on: page)
    try await page.fill("Search the documentation", with: "another machine BACKUPS", role: "searchbox", until: "found")
    let first = try await page.evaluate("document.querySelector('#found a').innerText").text
    #expect(first == "A VPS in ten minutes: Backups on another machine")
    try await page.evaluate("document.querySelector('#found a').click()")
    try await page.wait(for: "document.getElementById('backups-on-another-machine')")
    try await page.fill("Search the documentation", with: "xyzzy", role: "searchbox", until: "Nothing found")
    try await page.end()
  }
}
