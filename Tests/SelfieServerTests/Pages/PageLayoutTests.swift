import Foundation
import SelfieTestDocuments
import TestSupport
import Testing

/// The pages on phones and large screens, by keyboard, and as a screen reader finds them.
@Suite(.timeLimit(.minutes(10)), .enabled(if: Chromium.isInstalled)) struct PageLayoutTests {
  /// A page on which there is something of everything.
  private func page(_ path: String) async throws -> BrowserPage {
    let unfold = "for (const details of document.querySelectorAll('details')) details.open = true"
    if path == "/owner" {
      let page = try await PageServers.owners.value.ownersPage()
      try await page.click("Settings", role: "tab")
      try await page.wait(for: "document.querySelector('#defaults td')")
      try await page.evaluate(unfold)
      try await page.click("Photos", role: "tab")
      try await page.wait(for: BrowserPage.isPictureShown)
      try await page.click("Users", role: "tab")
      try await page.wait(for: "document.querySelector('#users td')")
      return page
    }
    if path != "/__admin/" {
      let page = try await PageServers.shared.value.page(path)
      try await page.wait(for: "document.querySelector('#main h1') || document.body.innerText.includes('Ready')")
      try await page.evaluate(unfold)
      return page
    }
    let (page, client) = try await PageClient.inspector(
      of: "layout-\(UUID().uuidString)",
      seed: #"{"users":[{"email":"a.rather.long.address.of.a.user@subdomain.example.com","tokens":["layout"]}]}"#)
    try await page.evaluate(unfold)
    try await client.photos(token: "a-token-that-nobody-has")
    try await page.wait(forText: "/api/get_photos")
    try await page.evaluate("document.querySelector('#requests a').click()")
    try await page.wait(forText: "which tokens never have")
    try await page.evaluate("document.getElementById('faults-tab').click()")
    try await page.wait(for: Self.isLoaded)
    try await page.click("Add fault", until: "The fault was added.")
    return page
  }

  @Test(arguments: ["/", "/__admin/", "/owner"]) func `nothing is wider than the window`(path: String) async throws {
    try await forEachPanel(of: path) { page in
      for width in [320, 360, 768, 1920, 1280] {
        try await page.resize(width: width, height: 800)
        let sideways = try await page.scrollsSideways()
        #expect(!sideways, "\(width)")
      }
    }
  }

  @Test(arguments: ["/", "/__admin/", "/owner"]) func `on a phone the bar is one row`(path: String) async throws {
    let page = try await page(path)
    try await page.resize(width: 390, height: 800)
    #expect(try await page.evaluate("document.querySelector('.bar').offsetHeight") == 48)
    try await page.close()
  }

  /// The rules of axe-core, which `.ci/run` fetches.
  private static let axe = "\(checkout)/.build/axe/axe_playwright_python/axe.min.js"
  private static let hasAxe = FileManager.default.fileExists(atPath: axe)
  private static let isCI = ProcessInfo.processInfo.environment["CI"] != nil

  @Test(
    .enabled(if: hasAxe || isCI, "needs axe-core: see .ci/run"),
    arguments: ["/", "/__admin/", "/owner", "/pages/docs.html?Backups.md"])
  func `texts can be read, controls have names and room, and headings are in order`(path: String) async throws {
    let axe = try String(contentsOfFile: Self.axe, encoding: .utf8)
    try await forEachPanel(of: path) { page in
      if try await page.evaluate("typeof axe") == "undefined" { try await page.evaluate("\(axe);0") }
      // Only colours depend on the scheme.
      for (scheme, rules) in [
        ("light", "rules: {'target-size': {enabled: true}, 'duplicate-id': {enabled: true}}"),
        ("dark", "runOnly: ['color-contrast', 'link-in-text-block']"),
      ] {
        try await page.prefer(scheme: scheme)
        let violations = try await page.evaluate(
          """
          axe.run({\(rules)}).then(({violations}) =>
            violations.flatMap(({id, nodes}) => nodes.map(({html}) => id + ': ' + html)))
          """)
        #expect(violations.elements.compactMap(\.text) == [], "\(scheme)")
      }
    }
  }

  private func forEachPanel(of path: String, _ check: (BrowserPage) async throws -> Void) async throws {
    let page = try await page(path)
    let tabs = try await page.evaluate("[...document.querySelectorAll('[role=tab]')].map(({id}) => id)").elements
    try await check(page)
    for tab in tabs.compactMap(\.text) {
      // A tab within a panel comes after the tabs of the page.
      try await page.evaluate(
        """
        (tab => {
          document.getElementById(tab.closest('[role=tabpanel]')?.getAttribute('aria-labelledby'))?.click()
          tab.click()
        })(document.getElementById('\(tab)'))
        """)
      try await page.wait(for: Self.isLoaded)
      try await check(page)
    }
    if path == "/owner" {
      try await page.evaluate("location.hash = '#/users/jane@example.com'")
      try await page.wait(for: "!document.getElementById('user').hidden")
      try await check(page)
    }
    try await page.close()
  }

  /// Whether the panel that is shown can be used.
  private static let isLoaded = "!document.querySelector('[role=tabpanel][inert]')"

  @Test(arguments: [
    ("/", "Ready, version"), ("/__admin/", "No requests yet"), ("/pages/docs.html?Settings.md", "All settings"),
  ])
  func `a page is small as it is sent, and stays in place while it opens on a phone`(
    path: String, text: String
  ) async throws {
    let page = try await Browser.shared().page()
    try await page.resize(width: 390, height: 800)
    // Any world without requests.
    let world = path == "/__admin/" ? "?world=\(UUID().uuidString)" : ""
    let address = try await PageServers.shared.value.origin() + path + world
    try await page.open(address)
    try await page.wait(forText: text)
    #expect(try #require(try await page.loadedBytes()) < 30_000)
    // On a busy machine, the window gets its size after the page of a new process has been shown.
    try await page.open(address)
    try await page.wait(forText: text)
    try await page.expectLittleShift(below: 0.05)
    try await page.close()
  }

  @Test func `an account is made by the keyboard alone`() async throws {
    let page = try await PageServers.shared.value.page("/")
    try await page.wait(forText: "Ready")
    for (id, text) in [
      ("api-name", TestCredentials.name), ("api-password", TestCredentials.password),
      ("email", "keyboard@example.com"), ("password", "secret12"), ("signup", ""),
    ] {
      // Goes on by Tab to a control.
      var hops = 0
      while try await page.evaluate("document.activeElement.id").text != id {
        hops += 1
        try #require(hops <= 30, "Tab does not lead to \(id)")
        try await page.press("Tab")
      }
      try await page.type(text)
    }
    try await page.press("Enter")
    try await page.wait(forText: "keyboard@example.com has an account")
    #expect(try await page.evaluate("document.getElementById('account-result').getAttribute('aria-live')") == "polite")
    try await page.end()
  }
}
