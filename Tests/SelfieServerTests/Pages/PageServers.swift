import Foundation
import TestSupport
import Testing

/// Servers whose pages several tests open. They end with this process.
enum PageServers {
  private static let arguments = ["serve", "--ephemeral", "--exit-with-parent"]

  /// Keeps nothing, and has the control interface. Tests change only worlds of their own.
  static let shared = Task { try await ServerProcess(arguments).listening() }

  /// For visitors of the home page, who change what the inspector shows at first.
  static let forVisitors = Task { try await ServerProcess(arguments).listening() }

  /// Keeps its data, with the user jane@example.com and a photo, which no test changes.
  static let owners = Task {
    let server = try ServerProcess(["serve", "--exit-with-parent"])
    try await server.appOfNewUser().postBtnTapped()
    return server
  }
}

extension ServerProcess {
  /// Opens a page in the shared browser.
  func page(_ path: String, host: String = "127.0.0.1") async throws -> BrowserPage {
    let page = try await Browser.shared().page()
    try await page.open("http://\(host):\(try await port())\(path)")
    return page
  }

  /// What opens the owner's page once. A server keeps four links, so no more than four tests may do that at once.
  func ownersLink() async throws -> String {
    let printed = try await folder.run("owner")
    return try #require(printed.output.first, "\(printed)")
  }

  func ownersPage() async throws -> BrowserPage {
    let page = try await Browser.shared().page()
    try await page.open(try await ownersLink())
    try await page.wait(forText: "Running, version")
    return page
  }
}

extension BrowserPage {
  static let isPictureShown =
    "[...document.images].some(image => image.complete && image.naturalWidth === 30)"

  /// Says yes to a question, and waits until a text is on the page.
  func confirm(until text: String) async throws {
    try await evaluate("document.getElementById('confirm-yes').click()")
    try await wait(forText: text)
  }

  /// Closes it, when there is nothing in the console that nobody should see.
  ///
  /// - Parameter refusals: how many responses a test has asked to be refused.
  func end(refusals: Int = 0, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let refused = problems.filter { $0.hasPrefix("network: Failed to load resource") }.prefix(refusals)
    #expect(problems.count == refused.count, "\(problems)", sourceLocation: sourceLocation)
    try await close()
  }

  /// The bytes of the page's files: HTML, CSS, scripts and icon.
  ///
  /// Each file counts once. Chromium 156 lists the icon again after each change of the address.
  func loadedBytes() async throws -> Double? {
    try await evaluate(
      """
      [...new Map([...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
        .filter(({initiatorType}) => initiatorType !== 'fetch' && initiatorType !== 'img')
        .map(({name, decodedBodySize}) => [name, decodedBodySize])).values()]
        .reduce((sum, bytes) => sum + bytes, 0)
      """
    ).number
  }

  /// The hosts of all requests.
  var hosts: Set<String> {
    Set(urls.compactMap { URL(string: $0) }.filter { $0.scheme != "data" && $0.scheme != "blob" }.compactMap(\.host))
  }
}
