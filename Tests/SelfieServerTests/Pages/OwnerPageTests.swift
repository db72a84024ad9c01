import Foundation
import TestSupport
import Testing

/// The owner's page in a real browser, with a server that keeps its data.
@Suite(.timeLimit(.minutes(10)), .enabled(if: Chromium.isInstalled)) struct OwnerPageTests {
  private let storage: OwnedStorage

  init() async throws {
    storage = try await OwnedStorage()
  }

  @Test func `the link opens the page once, and is refused twice`() async throws {
    let link = try await storage.server.ownersLink()
    let first = try await Browser.shared().page()
    try await first.open(link)
    try await first.wait(forText: "jane@example.com")
    #expect(try await first.evaluate("location.href").text?.hasSuffix("/owner") == true)
    // The cookie is no script's.
    #expect(try await first.evaluate("document.cookie") == "")
    for _ in 0..<2 {
      let other = try await Browser.shared().page()
      try await other.open(link)
      try await other.wait(forText: "This link was used before")
      #expect(try await other.evaluate("document.querySelector('main').hidden") == true)
      try await other.close()
    }
    #expect(first.hosts == ["localhost"])
    try await first.click("Close the page", until: "The page is closed.")
    #expect(try await first.evaluate("fetch('/owner').then(response => response.status)") == 404)
    try await first.end(refusals: 1)
    await storage.stop()
  }

  @Test func `users, tokens and photos are looked after, with confirmation`() async throws {
    let page = try await storage.server.ownersPage()
    let name = "<img src=x onerror=document.title=1>"
    try await page.fill("Full name", with: name)
    try await page.fill("Email", with: "ada@example.com")
    try await page.click("Create")
    try await page.wait(for: "document.getElementById('secret').open")
    let password = try #require(try await page.evaluate("document.getElementById('secret-value').textContent").text)
    #expect(password.utf8.count == 20)
    try await page.click("Done")
    try await page.wait(for: "document.getElementById('secret-value').textContent === ''")
    try await page.wait(forText: "<img")
    #expect(try await page.evaluate("document.title") == "Owner · selfie-server")
    let app = try await storage.app()
    try await app.makeSignInRequest(email: "ada@example.com", password: password)

    // What is not confirmed does not happen.
    try await page.click("Disable ada@example.com")
    try await page.click("Cancel")
    // By the keyboard: Cancel comes first, and the focus comes back to where it was.
    try await page.evaluate("document.querySelector('[aria-label=\"Disable ada@example.com\"]').focus()")
    try await page.press("Enter")
    try await page.wait(for: "document.activeElement.id === 'confirm-no'")
    try await page.press("Tab")
    try await page.press("Enter")
    try await page.wait(forText: "ada@example.com is disabled.")
    try await page.wait(forText: "disabled since")
    try await page.wait(for: "document.activeElement.ariaLabel === 'Enable ada@example.com'")
    try await page.click("Enable ada@example.com", until: "ada@example.com is enabled.")

    try await page.click("Show the newest photos")
    try await page.wait(for: BrowserPage.isPictureShown)
    try await page.click("Delete")
    try await page.evaluate("document.getElementById('confirm-yes').click()")
    try await page.wait(forText: "of jane@example.com is deleted.")
    #expect(try await storage.json(["photo", "list"]).isEmpty)

    for width in [320, 360, 1280] {
      try await page.resize(width: width, height: 800)
      let isTooWide = try await page.scrollsSideways()
      #expect(!isTooWide, "\(width)")
    }
    try await page.click("Delete ada@example.com")
    try await page.evaluate("document.getElementById('confirm-yes').click()")
    try await page.wait(forText: "ada@example.com is deleted.")
    #expect(try await storage.json(["user", "list"]).map { $0["email"] as? String } == ["jane@example.com"])
    try await page.end()
    await storage.stop()
    #expect(await !storage.server.errors.all().contains { $0.contains(password) })
  }

  @Test func `the user after the first page is reached and found, and the settings have their defaults`() async throws {
    await storage.stop()
    try storage.folder.execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
      INSERT INTO users (first_name, email, password_hash, created_at, updated_at)
        SELECT 'Ada', printf('user%03d@example.com', i), '', 0, 0 FROM n
      """)
    _ = try await storage.app()
    let page = try await storage.server.ownersPage()
    try await page.wait(forText: "Users 1 to 200 of 201.")
    #expect(try await !page.text().contains("user200@example.com"))
    try await page.click("Next users", until: "Users 201 to 201 of 201.")
    #expect(try await page.text().contains("user200@example.com"))
    try await page.click("Previous users", until: "Users 1 to 200 of 201.")
    try await page.fill("Search by email or name", with: "USER200@", role: "searchbox")
    try await page.click("Search")
    try await page.wait(for: "document.querySelectorAll('#users tbody tr').length === 1")
    #expect(try await page.text().contains("user200@example.com"))
    try await page.wait(for: "document.getElementById('settings').textContent.includes('MAX_PHOTOS10000default')")
    try await page.end()
    await storage.stop()
  }
}
