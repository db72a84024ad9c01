import Foundation
import SelfieTestControl
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
    if path == "/" {
      let page = try await PageServers.shared.value.page(path)
      try await page.wait(forText: "Ready")
      try await page.evaluate(unfold)
      return page
    }
    let (page, client) = try await PageClient.inspector(
      of: "layout",
      seed: #"{"users":[{"email":"a.rather.long.address.of.a.user@subdomain.example.com","tokens":["layout"]}]}"#)
    try await page.evaluate(unfold)
    try await client.photos(token: "a-token-that-nobody-has")
    try await page.wait(forText: "/api/get_photos")
    try await page.evaluate("document.querySelector('#requests a').click()")
    try await page.wait(forText: "Forget the token and let the user sign in")
    try await page.evaluate("document.getElementById('faults-tab').click()")
    try await page.wait(for: Self.isLoaded)
    try await page.click("Add fault", until: "The fault was added.")
    return page
  }

  @Test(arguments: ["/", "/__admin/", "/owner"])
  func `nothing is wider than the window, texts can be read, controls have names, and headings are in order`(
    path: String
  ) async throws {
    let page = try await page(path)
    let tabs = try await page.evaluate("[...document.querySelectorAll('[role=tab]')].map(({id}) => id)").elements
    try await check(page)
    for tab in tabs.compactMap(\.text) {
      try await page.evaluate("document.getElementById('\(tab)').click()")
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

  private func check(_ page: BrowserPage) async throws {
    for width in [320, 360, 768, 1920, 1280] {
      try await page.resize(width: width, height: 800)
      let sideways = try await page.scrollsSideways()
      #expect(!sideways, "\(width)")
    }
    for scheme in ["light", "dark"] {
      try await page.prefer(scheme: scheme)
      let faults = try await page.evaluate(Self.rules).elements.compactMap(\.text)
      #expect(faults == [], "\(scheme)")
      guard let axe = try? String(contentsOfFile: Self.axe, encoding: .utf8) else { continue }
      try await page.evaluate("\(axe);0")
      let violations = try await page.evaluate(
        """
        axe.run().then(({violations}) =>
          violations.flatMap(({id, nodes}) => nodes.map(({html}) => id + ': ' + html)))
        """)
      #expect(violations.elements.compactMap(\.text) == [], "\(scheme)")
    }
  }

  /// The rules of axe-core, which `.ci/run` fetches.
  private static let axe = "\(checkout)/.build/axe/axe_core_python/axe.min.js"

  /// WCAG 2.2: 1.4.3 (contrast), 2.5.8 (size of targets), 4.1.2 (names), 1.3.1 (headings and landmarks), 3.1.1 (language).
  private static let rules = """
    (() => {
      const faults = []
      const isShown = element => element.checkVisibility({visibilityProperty: true}) && element.getClientRects().length
      const color = text => { const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number); return {rgb: [r, g, b], a} }
      const light = ({rgb}) => rgb.map(part => part / 255)
        .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
        .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0)
      const ground = element => {
        for (let node = element; node; node = node.parentElement) {
          const found = color(getComputedStyle(node).backgroundColor)
          if (found.a === 1) return found
        }
        return color('rgb(255, 255, 255)')
      }
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
      while (walker.nextNode()) {
        const element = walker.currentNode.parentElement
        if (!walker.currentNode.textContent.trim() || !isShown(element) || element.closest(':disabled')) continue
        const [one, two] = [light(color(getComputedStyle(element).color)), light(ground(element))].sort((a, b) => b - a)
        const contrast = (one + 0.05) / (two + 0.05)
        if (contrast < 4.5) faults.push(`contrast ${contrast.toFixed(1)}: ${walker.currentNode.textContent.trim()}`)
      }
      for (const control of document.querySelectorAll('a, button, input, select, textarea, summary')) {
        const name = control.labels?.[0]?.textContent || control.ariaLabel || control.textContent
        if (!name.trim()) faults.push(`no name: ${control.outerHTML}`)
        const {width, height} = control.getBoundingClientRect()
        const isInline = control.localName === 'a'
        if (isShown(control) && !isInline && (width < 24 || height < 24)) faults.push(`too small: ${control.outerHTML}`)
      }
      for (const image of document.images) if (!image.hasAttribute('alt')) faults.push(`no alt: ${image.outerHTML}`)
      let level = 0
      for (const heading of document.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
        const next = Number(heading.localName[1])
        if (next > level + 1) faults.push(`heading skips a level: ${heading.textContent}`)
        level = next
      }
      if (document.querySelectorAll('h1').length !== 1) faults.push('not one h1')
      if (document.querySelectorAll('main').length !== 1) faults.push('not one main')
      if (document.documentElement.lang !== 'en') faults.push('no language')
      const ids = [...document.querySelectorAll('[id]')].map(({id}) => id)
      for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) faults.push(`id twice: ${id}`)
      return faults
    })()
    """

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
