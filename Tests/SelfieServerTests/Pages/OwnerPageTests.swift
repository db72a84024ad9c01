import Foundation
import TestSupport
import Testing

/// The owner's page in a real browser, with a server that keeps its data.
@Suite(.timeLimit(.minutes(10)), .enabled(if: Chromium.isInstalled)) struct OwnerPageTests {
  private let storage: OwnedStorage

  init() async throws {
    storage = try await OwnedStorage()
  }

  private func confirm(on page: BrowserPage) async throws {
    try await page.evaluate("document.getElementById('confirm-yes').click()")
  }

  @Test func `the link opens the page once, and is refused twice`() async throws {
    let link = try await storage.server.ownersLink()
    let first = try await Browser.shared().page()
    try await first.open(link)
    try await first.wait(forText: "Running, version")
    #expect(try await first.evaluate("location.href").text?.hasSuffix("/owner") == true)
    // The cookie is no script's.
    #expect(try await first.evaluate("document.cookie") == "")
    for _ in 0..<2 {
      let other = try await Browser.shared().page()
      try await other.open(link)
      try await other.wait(forText: "This link was used before")
      #expect(try await other.evaluate("document.getElementById('content').hidden") == true)
      try await other.close()
    }
    #expect(first.hosts == ["localhost"])
    try await first.click("Close the page", until: "The page is closed.")
    #expect(try await first.evaluate("fetch('/owner').then(response => response.status)") == 404)
    try await first.end(refusals: 1)
    await storage.stop()
  }

  @Test func `a user is made, disabled, enabled and deleted, with confirmation`() async throws {
    let page = try await storage.server.ownersPage()
    try await page.click("Users", role: "tab")
    try await page.wait(forText: "1 user")
    try await page.click("New user")
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
    try await page.click("Actions for ada@example.com")
    try await page.click("Disable")
    try await page.click("Cancel")
    // By the keyboard: Cancel comes first, and the focus comes back to where it was.
    try await page.evaluate("document.querySelector('[aria-label=\"Actions for ada@example.com\"]').focus()")
    try await page.press("Enter")
    try await page.click("Disable")
    try await page.wait(for: "document.activeElement.id === 'confirm-no'")
    try await page.press("Tab")
    try await page.press("Enter")
    try await page.wait(forText: "ada@example.com is disabled.")
    try await page.wait(for: "document.querySelector('#users .bad').textContent === 'Disabled'")
    try await page.wait(for: "document.activeElement.ariaLabel === 'Actions for ada@example.com'")
    try await page.click("Actions for ada@example.com")
    try await page.click("Enable", until: "ada@example.com is enabled.")
    try await page.wait(for: "!document.querySelector('#users .bad')")

    try await page.click("Actions for ada@example.com")
    try await page.click("Delete")
    try await confirm(on: page)
    try await page.wait(forText: "ada@example.com is deleted.")
    #expect(try await storage.json(["user", "list"]).map { $0["email"] as? String } == ["jane@example.com"])
    try await page.end()
    await storage.stop()
    #expect(await !storage.server.errors.all().contains { $0.contains(password) })
  }

  @Test func `a user has a page with tokens and photos, of which one is opened and deleted`() async throws {
    let page = try await storage.server.ownersPage()
    try await page.click("Users", role: "tab")
    try await page.click("jane@example.com", role: "link")
    try await page.wait(forText: "1 of 10,000")
    try await page.wait(for: BrowserPage.isPictureShown)
    try await page.evaluate("document.querySelector('[aria-label^=\"Actions for token\"]').click()")
    try await page.click("Revoke")
    try await confirm(on: page)
    try await page.wait(forText: "The user is signed in nowhere.")
    #expect(try await storage.json(["token", "list"]).isEmpty)
    // Back is the list.
    try await page.evaluate("history.back()")
    try await page.wait(for: "!document.getElementById('user-list').hidden")

    try await page.click("Photos", role: "tab")
    try await page.wait(for: BrowserPage.isPictureShown)
    try await page.fill("Photos of the user", with: "nobody@example.com", role: "combobox")
    try await page.wait(forText: "No such user")
    try await page.fill("Photos of the user", with: "jane@example.com", role: "combobox")
    try await page.wait(forText: "1 photo")
    try await page.evaluate("document.querySelector('#photos .thumbnail').click()")
    try await page.wait(for: "document.getElementById('viewer').open")
    #expect(try await page.text().contains("image/png"))
    try await page.click("Delete")
    try await confirm(on: page)
    try await page.wait(forText: "of jane@example.com is deleted.")
    #expect(try await storage.json(["photo", "list"]).isEmpty)
    try await page.end()
    await storage.stop()
  }

  @Test func `the user after the first page is reached and found, and the settings have their defaults`() async throws {
    await storage.stop()
    try storage.folder.execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
      INSERT INTO users (first_name, email, password_hash, created_at, updated_at)
        SELECT 'Ada', printf('user%03d@example.com', i), '', 0, 0 FROM n
      """)
    _ = try await storage.app()
    let page = try await storage.server.ownersPage()
    try await page.click("Users", role: "tab")
    try await page.wait(forText: "1 to 50 of 51")
    #expect(try await !page.text().contains("user050@example.com"))
    try await page.click("Next ›", until: "51 to 51 of 51")
    #expect(try await page.text().contains("user050@example.com"))
    try await page.click("‹ Previous", until: "1 to 50 of 51")
    try await page.fill("Search by email or name", with: "USER050@", role: "searchbox")
    try await page.wait(forText: "1 user found")
    #expect(try await page.evaluate("document.querySelector('#users tbody').textContent.includes('user050')") == true)
    try await page.click("Settings", role: "tab")
    try await page.wait(for: "document.getElementById('settings').textContent.includes('PORT')")
    let defaults = try await page.evaluate("document.getElementById('defaults').textContent").text ?? ""
    for text in ["MAX_PHOTOS10000", "TOKEN_LIFETIME24 h (86400 s)", "MAX_PHOTO_BYTES67.1 MB", "USER_QUOTAno limit"] {
      #expect(defaults.contains(text))
    }
    try await page.end()
    await storage.stop()
  }

  @Test func `what needs attention comes first, and goes once it is mended`() async throws {
    let database = "\(storage.folder.path)/storage/selfie.sqlite3"
    try #require(chmod(database, 0o644) == 0)
    let page = try await storage.server.ownersPage()
    try await page.wait(forText: "No backups are made automatically.")
    try await page.wait(forText: "selfie.sqlite3: other users can access it")
    try #require(chmod(database, 0o600) == 0)
    try await page.click("Check again")
    try await page.wait(for: "document.querySelectorAll('#attention .warn').length === 1")
    try await page.end()
    await storage.stop()
  }

  @Test func `a backup is downloaded, and the constants are shown once`() async throws {
    let page = try await storage.server.ownersPage()
    try await page.click("Back up now", until: "The backup is complete: selfie-20")
    try await page.click("Show the constants")
    try await page.wait(for: "document.getElementById('secret').open")
    let constants = try await page.evaluate("document.getElementById('secret-value').textContent").text ?? ""
    let credentials = try storage.folder.text(of: "storage/credentials.env").split(separator: "\n")
    for name in ["API_AUTH_NAME", "API_AUTH_PASSWORD"] {
      let value = try #require(credentials.first { $0.hasPrefix("\(name)=") }?.dropFirst(name.count + 1))
      #expect(constants.contains("static let \(name) = \"\(value)\""))
    }
    #expect(constants.contains("static let BASE_URL = \"http://localhost:\(try await storage.server.port())/api\""))
    try await page.click("Done")
    try await page.wait(for: "document.getElementById('secret-value').textContent === ''")
    try await page.end()
    await storage.stop()
  }
}
