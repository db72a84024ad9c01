import Foundation
import SelfieOperations
import TestSupport
import Testing

/// The owner's page in a real browser, with a server that keeps its data.
@Suite(.timeLimit(.minutes(10)), .enabled(if: Chromium.isInstalled)) struct OwnerPageTests {
  private let storage: OwnedStorage

  init() async throws {
    storage = try await OwnedStorage()
  }

  @Test func `the link opens the page once`() async throws {
    let link = try await storage.server.ownersLink()
    let first = try await Browser.shared().page()
    try await first.open(link)
    try await first.wait(forText: "Running, version")
    #expect(try await first.evaluate("location.href").text?.hasSuffix("/owner") == true)
    // The cookie is no script's.
    #expect(try await first.evaluate("document.cookie") == "")
    let other = try await Browser.shared().page()
    try await other.open(link)
    try await other.wait(forText: "This link was used before")
    #expect(try await other.evaluate("document.querySelector('.notice code').textContent") == "bin/selfie-server owner")
    #expect(try await other.evaluate("document.getElementById('content').hidden") == true)
    try await other.close()
    #expect(first.hosts == ["localhost"])
    #expect(first.urls.filter { $0.hasSuffix("/owner/commands") }.count == 2)
    try await first.click("Close the page", until: "The page is closed.")
    #expect(try await first.evaluate("fetch('/owner').then(response => response.status)") == 404)
    try await first.end(refusals: 1)
    let later = try await storage.server.page("/owner")
    try await later.wait(forText: "The owner’s page is closed")
    try await later.wait(forText: "bin/selfie-server owner")
    try await later.close()
  }

  @Test func `a user is made, disabled, enabled and deleted, with confirmation`() async throws {
    let page = try await storage.server.ownersPage()
    try await page.click("Users", role: "tab", until: "1 user")
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
    try await page.confirm(until: "ada@example.com is deleted.")
    #expect(try await storage.json(["user", "list"]).map { $0["email"] as? String } == ["jane@example.com"])
    try await page.end()
    await storage.stop()
    #expect(await !storage.server.errors.all().contains { $0.contains(password) })
  }

  @Test func `a user has a page with tokens and photos, of which one is opened and deleted`() async throws {
    let page = try await storage.server.ownersPage()
    try await page.click("Users", role: "tab")
    try await page.click("jane@example.com", role: "link", until: "1 of 10,000")
    try await page.wait(for: BrowserPage.isPictureShown)
    try await page.evaluate("document.querySelector('[aria-label^=\"Actions for token\"]').click()")
    try await page.click("Revoke")
    try await page.confirm(until: "This user is not signed in on any device.")
    #expect(try await storage.json(["token", "list"]).isEmpty)
    // Back is the list.
    try await page.evaluate("history.back()")
    try await page.wait(for: "!document.getElementById('user-list').hidden")

    try await page.click("Photos", role: "tab")
    try await page.wait(for: BrowserPage.isPictureShown)
    try await page.fill("Photos of the user", with: "nobody@example.com", role: "combobox", until: "No such user")
    try await page.fill("Photos of the user", with: "jane@example.com", role: "combobox")
    try await page.wait(forText: "1 photo")
    try await page.evaluate("document.querySelector('#photos .thumbnail').click()")
    try await page.wait(for: "document.getElementById('viewer').open")
    #expect(try await page.text().contains("image/png"))
    try await page.click("Delete")
    try await page.wait(for: "document.querySelector('dialog #confirm-text + img').naturalWidth === 30")
    try await page.confirm(until: "will be deleted in ten seconds.")
    #expect(try await page.evaluate("document.querySelector('#photos li').hidden") == true)
    try await page.click("Undo")
    try await page.wait(for: "!document.querySelector('#photos li').hidden")
    #expect(try await storage.json(["photo", "list"]).count == 1)
    try await page.evaluate("document.querySelector('#photos .more').click()")
    try await page.click("Delete")
    try await page.confirm(until: "will be deleted in ten seconds.")
    // Who leaves the page does not undo it.
    try await page.evaluate("dispatchEvent(new Event('pagehide'))")
    try await page.wait(forText: "of jane@example.com is deleted.")
    #expect(try await storage.json(["photo", "list"]).isEmpty)
    try await page.end()
  }

  @Test func `large photos are pictures, too, of which four are loading at a time`() async throws {
    let app = storage.jane
    for _ in 0..<9 { try await app.postBtnTapped(image: PNG.random(3_000_000)) }
    let page = try await storage.server.ownersPage()
    try await page.resize(width: 1280, height: 4000)
    try await page.click("Photos", role: "tab", until: "10 photos")
    let pictures = "[...document.querySelectorAll('.thumbnail img')]"
    try await page.wait(for: "\(pictures).filter(image => image.naturalWidth === 30).length === 10")
    let most = try await page.evaluate(
      """
      (() => {
        const loads = performance.getEntriesByType('resource').filter(({initiatorType}) => initiatorType === 'img')
          .filter(({name}) => name.includes('/photos/'))
        return Math.max(...loads.map(load => loads.filter(other =>
          other.startTime <= load.startTime && load.startTime < other.responseEnd).length))
      })()
      """
    ).number
    #expect(most.map { 1...4 ~= $0 } == true, "\(most ?? 0)")
    try await page.end()
  }

  @Test func `a part of the page that does not load is said without the browser's words, until it loads`() async throws
  {
    let page = try await storage.server.ownersPage()
    await storage.stop()
    try await page.click("Users", role: "tab", until: "This part of the page did not load.")
    #expect(try await !page.text().contains("dynamically"))
    _ = try await storage.app()
    try await page.wait(forText: "The session has ended")
    #expect(try await !page.text().contains("did not load"))
    try await page.close()
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
    try await page.click("Users", role: "tab", until: "1 to 50 of 51")
    #expect(try await !page.text().contains("user050@example.com"))
    try await page.click("Next ›", until: "51 to 51 of 51")
    #expect(try await page.text().contains("user050@example.com"))
    try await page.click("‹ Previous", until: "1 to 50 of 51")
    try await page.fill("Search by email or name", with: "USER050@", role: "searchbox", until: "1 user found")
    #expect(try await page.evaluate("document.querySelector('#users tbody').textContent.includes('user050')") == true)
    try await page.fill("Search by email or name", with: "ÀDA 49 user", role: "searchbox")
    try await page.wait(for: "document.querySelector('#users tbody').textContent.includes('user049')")
    try await page.wait(for: "decodeURIComponent(location.hash) === '#/users?q=ÀDA+49+user'")
    try await page.fill("Search by email or name", with: " ", role: "searchbox", until: "1 to 50 of 51")
    let first = "document.querySelector('#users tbody tr').textContent.includes('jane@')"
    try await page.click("Photos")
    try await page.wait(for: "!\(first)")
    try await page.click("Photos ▴")
    try await page.wait(for: first)
    try await page.choose("out", of: "Which users")
    try await page.wait(forText: "50 users found")
    #expect(try await page.evaluate("location.hash") == "#/users?sort=-Photos&filter=out")
    try await page.click("Settings", role: "tab")
    try await page.wait(for: "document.getElementById('settings').textContent.includes('PORT')")
    let defaults = try await page.evaluate("document.getElementById('defaults').textContent").text ?? ""
    for text in ["MAX_PHOTOS10000", "TOKEN_LIFETIME24 h (86400 s)", "MAX_PHOTO_BYTES67.1 MB", "USER_QUOTAno limit"] {
      #expect(defaults.contains(text))
    }
    try await page.end()
  }

  @Test func `what needs attention comes first, and goes once it is mended`() async throws {
    let database = "\(storage.folder.path)/storage/selfie.sqlite3"
    try #require(chmod(database, 0o644) == 0)
    let page = try await storage.server.ownersPage()
    try await page.wait(forText: "No backups are made automatically.")
    try await page.wait(forText: "selfie.sqlite3: other users can access it")
    try #require(chmod(database, 0o600) == 0)
    try await page.click("Check again")
    // The tests' passwords are cheap.
    try await page.wait(for: "document.querySelectorAll('#attention .warn').length === 2")
    #expect(try await page.text().contains("PASSWORD_COST is below 10"))
    #expect(try await page.evaluate("document.getElementById('state').classList.contains('warn')") == true)
    try await page.end()
  }

  @Test func `a stopped server leaves the page as it was, and a new one ends its session`() async throws {
    let page = try await storage.server.ownersPage()
    await storage.stop()
    try await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    try await page.wait(forText: "The server does not respond")
    #expect(try await page.text().contains("bin/serve"))
    #expect(try await page.evaluate("document.getElementById('facts').checkVisibility()") == true)
    _ = try await storage.app()
    try await page.wait(forText: "The session has ended")
    try await page.wait(forText: "bin/selfie-server owner")
    #expect(try await page.evaluate("document.body.className") == "")
    try await page.close()
  }

  @Test func `a lost photo that the backups have is one alarm, whose command puts it back`() async throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("backups")
    let environment = ["BACKUP_DIR": "\(folder.path)/backups"]
    let server = try ServerProcess(environment: environment, in: folder)
    try await server.logged("the storage is backed up")
    let id = try await server.appOfNewUser().postBtnTapped().id
    func backUp() async throws {
      _ = await (try ServerProcess(["backup"], environment: environment, in: folder)).status()
    }
    try await backUp()
    try folder.remove("storage/photos/\(id.prefix(2))/\(id)")
    try await backUp()
    let place = try #require(try folder.names(in: "backups").first)
    let command = "restore --photo \(id) \(folder.path)/backups/\(place)"
    func alarms() async throws -> [Attention] {
      let status = try ServerProcess(["status", "--json"], environment: environment, in: folder)
      return try await status.outcome(1).value(StatusView.self).attention
        .filter { [.photo, .backup].contains($0.subject) }
    }
    let found = try await alarms()
    #expect(found.count { $0.photo == id } == 1, "\(found)")
    #expect(found.first?.command == "bin/selfie-server \(command)", "\(found)")
    #expect(!found.contains { $0.message.contains("The last backup failed") }, "\(found)")
    let page = try await server.ownersPage()
    try await page.wait(for: "!document.getElementById('check').disabled")
    #expect(try await page.evaluate("document.querySelectorAll('#attention .bad').length") == 1)
    #expect(try await page.text().contains("bin/selfie-server \(command)"))
    try await page.end()
    await server.stop()
    try await folder.run(command, environment: environment)
    let again = try await ServerProcess(environment: environment, in: folder).listening()
    #expect(try await alarms().allSatisfy { $0.photo == nil })
    await again.stop()
  }

  @Test func `why requests were refused is shown as they come`() async throws {
    let server = storage.server
    #expect(try await server.response(to: "GET /api/photos").status == 404)
    let page = try await server.ownersPage()
    try await page.click("Why", role: "tab", until: "there is GET /api/get_photos")
    let app = ["Host: a", "User-Agent: <img/src=x> x", "Authorization: Basic eA=="]
    for _ in 0..<2 { #expect(try await server.response(to: "GET /api/get_photos", app).status == 401) }
    try await page.wait(forText: "GET /api/get_photos ×2")
    try await page.wait(forText: "Authorization is Basic; GET /api/get_photos needs Token")
    #expect(try await page.text().contains("127.0.0.1 · <img/src=x>"))
    #expect(try await page.evaluate("document.querySelectorAll('#why tbody tr').length") == 2)
    try await page.end()
  }

  @Test(arguments: [1280, 390])
  func `the page is small as it is sent, and nothing moves while it opens`(width: Int) async throws {
    let page = try await Browser.shared().page()
    try await page.resize(width: width, height: 800)
    try await page.open(try await storage.server.ownersLink())
    try await page.wait(forText: "Running, version")
    try await page.wait(for: "!document.getElementById('check').disabled")
    #expect(try #require(try await page.loadedBytes()) < 30_000)
    for tab in ["users", "photos"] {
      try await page.evaluate("document.getElementById('\(tab)-tab').click()")
      try await page.wait(for: "document.querySelector('#\(tab) a, #\(tab) li')")
    }
    try await page.expectLittleShift(below: 0.02)
    try await page.end()
  }

  @Test func `the page says which backups there are, and whose those of others are`() async throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("backups")
    let server = try ServerProcess(environment: ["BACKUP_DIR": "backups"], in: folder)
    try await server.logged("the storage is backed up")
    let storage = try #require(try folder.names(in: "backups").first)
    let moment = try #require(try folder.names(in: "backups/\(storage)").first { $0.hasPrefix("2") })
    try FileManager.default.copyItem(
      atPath: "\(folder.path)/backups/\(storage)/\(moment)",
      toPath: "\(folder.path)/backups/\(storage)/\(moment.dropLast(8))00000000")
    try folder.write("old", to: "backups/selfie-2026-11-19T18-37-00Z-\(storage).tar")
    let page = try await server.ownersPage()
    try await page.wait(forText: "1 other, of line 00000000, from before a restore or of another copy")
    try await page.wait(forText: "1 other, tar archives of an earlier version")
    let text = try await page.text()
    #expect(text.contains("Last backup in BACKUP_DIR: ") && text.contains(", complete."))
    #expect(!text.contains("anywhere"))
    try await page.end()
    await server.stop()
  }

  @Test func `a backup is downloaded, and the constants are shown once`() async throws {
    let page = try await storage.server.ownersPage()
    // A click of the page's own on the link that the button gets.
    let download = try await page.evaluate(
      """
      new Promise(resolve => {
        HTMLAnchorElement.prototype.click = function () {
          fetch(this.href, {credentials: 'omit'}).then(async response => resolve(
            `${response.headers.get('Content-Disposition')} ${(await response.arrayBuffer()).byteLength > 10000}`))
        }
        document.getElementById('back-up').click()
      })
      """
    ).text
    #expect(download?.hasPrefix("attachment; filename=\"selfie-20") == true && download?.hasSuffix("true") == true)
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
  }
}
