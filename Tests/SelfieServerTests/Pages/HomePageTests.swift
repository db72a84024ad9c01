import APITestSupport
import Cryptography
import Foundation
import SelfieAPI
import SelfieTestControl
import TestSupport
import Testing

/// `GET /` in a real browser.
@Suite(.timeLimit(.minutes(10)), .enabled(if: Chromium.isInstalled)) struct HomePageTests {
  /// Types the credentials and an account.
  private func fill(_ page: BrowserPage, email: String, password: String = "secret12") async throws {
    try await page.fill("API name", with: TestCredentials.name)
    try await page.fill("API password", with: TestCredentials.password)
    try await page.fill("Full name", with: "Jane Doe")
    try await page.fill("E-mail", with: email)
    try await page.fill("Password", with: password)
  }

  private static let isPictureShown =
    "[...document.querySelectorAll('#gallery img')].some(image => image.complete && image.naturalWidth === 30)"

  private func uploadedPicture(_ page: BrowserPage, title: String) async throws {
    let folder = try TemporaryFolder()
    try PNG.random(width: 30, height: 20).write(to: URL(fileURLWithPath: "\(folder.path)/selfie.png"))
    try await page.fill("Title", with: title)
    try await page.choose(file: "\(folder.path)/selfie.png", of: "Photo")
    try await page.click("button", "Upload")
    try await page.wait(for: Self.isPictureShown)
  }

  /// The second host is no secure context, so that the page has no WebCrypto there.
  @Test(arguments: ["127.0.0.1", "selfie.test"])
  func `a visitor signs up, signs in, uploads a photo, sees it, and deletes it`(host: String) async throws {
    let page = try await PageServer.forVisitors().page("/", host: host)
    #expect(try await page.evaluate("isSecureContext") == .bool(host == "127.0.0.1"))
    try await page.wait(forText: "It works")
    try await fill(page, email: "visitor@\(host).example")
    try await page.click("button", "Sign up")
    try await page.wait(forText: "the account of visitor@\(host).example is there")
    try await page.click("button", "Sign in")
    try await page.wait(forText: "signed in; the token is valid until")
    try await uploadedPicture(page, title: "On the beach")
    #expect(try await page.text().contains("On the beach"))

    try await page.click("button", "Delete")
    try await page.wait(forText: "no photos yet")
    #expect(try await page.evaluate("document.querySelectorAll('#gallery img').length") == 0)
    #expect(page.complaints() == [])
    #expect(page.hosts == [host])
    try await page.close()
  }

  @Test func `it shows the constants and commands of the address that the visitor came by, and no secret`() async throws
  {
    let server = try await PageServer.forVisitors()
    let page = try await server.page("/", host: "selfie.test")
    try await page.wait(forText: "static let BASE_URL = \"http://selfie.test:\(server.port)/api\"")
    try await page.wait(forText: "version \(Application.version)")
    let text = try await page.text()
    #expect(text.contains("curl -u \"$API_AUTH_NAME:$API_AUTH_PASSWORD\" http://selfie.test:\(server.port)/api/signup"))
    for endpoint in [
      "POST /api/signup", "POST /api/signin", "GET /api/get_token", "POST /api/reset_password",
      "POST /api/upload_photo",
      "GET /api/get_photos", "DELETE /api/delete_photo", "GET /api/clear_token",
    ] { #expect(text.contains(endpoint), "\(endpoint)") }

    for path in page.urls { #expect(!path.contains(TestCredentials.password)) }
    #expect(!text.contains(TestCredentials.password) && !text.contains(TestCredentials.name))
    try await page.fill("API password", with: "a secret of \"mine\"")
    try await page.wait(forText: "••••••••")
    #expect(try await !page.text().contains("a secret"))
    #expect(page.complaints() == [])
    try await page.close()
  }

  @Test func `the endpoints that have forms of their own work from there, and each refusal says what to do`()
    async throws
  {
    let page = try await PageServer.forVisitors().page("/")
    try await page.click("button", "Sign in")
    try await page.wait(forText: "Please fill in “API name” first.")
    try await fill(page, email: "forms@example.com")
    try await page.fill("API password", with: "wrong")
    try await page.click("button", "Sign up")
    try await page.wait(forText: "✗ 401: The API name or the API password is wrong.")
    try await page.fill("API password", with: TestCredentials.password)
    try await page.click("button", "Sign up")
    try await page.wait(forText: "the account of forms@example.com is there")
    try await page.click("button", "Sign up")
    try await page.wait(forText: "✗ 400: email has already been taken.")
    try await page.click("button", "Get a token")
    try await page.wait(forText: "signed in")
    try await page.fill("New password", with: "secret13")
    try await page.click("button", "Change the password")
    try await page.wait(forText: "the password is changed")
    try await uploadedPicture(page, title: "one")
    try await page.click("button", "Delete the first photo")
    try await page.wait(forText: "deleted.")
    try await page.click("button", "Sign out")
    try await page.wait(forText: "signed out")
    try await page.fill("Password", with: "secret12")
    try await page.click("button", "Sign in")
    try await page.wait(forText: "✗ 401: The password is wrong.")
    #expect(page.complaints(refusals: 3) == [])
    try await page.close()
  }

  @Test(arguments: ["Compatibility", "Operations", "Security", "Testing"])
  func `documentation that it leads to is shown as pages`(name: String) async throws {
    let server = try await PageServer.forVisitors()
    let home = try await server.page("/")
    let link = "[...document.links].find(link => link.textContent === '\(name)').getAttribute('href')"
    let page = try await server.page(try #require(try await home.evaluate(link).text))
    try await home.close()
    try await page.wait(for: "document.querySelector('main h1') && document.title.endsWith('· selfie-server')")
    let text = try await page.text()
    let markdown = #/\]\(|\*\*|\n#+ |\n\||```|\n- /#
    #expect(text.firstMatch(of: markdown).map { String($0.output) } == nil)
    #expect(try await page.evaluate("document.querySelectorAll('main h2, main table, main pre').length > 5") == true)
    // Every link to a heading of this page has one.
    #expect(
      try await page.evaluate(
        "[...document.links].filter(({hash, search}) => hash && search === location.search"
          + " && !document.getElementById(decodeURIComponent(hash.slice(1)))).length") == 0)
    try await page.resize(width: 320, height: 800)
    let isTooWide = try await page.scrollsSideways()
    #expect(!isTooWide)
    #expect(page.complaints() == [])
    try await page.close()
  }

  @Test func `a picture can be taken with the camera`() async throws {
    let page = try await PageServer.forVisitors().page("/")
    try await fill(page, email: "camera@example.com")
    try await page.click("button", "Sign up")
    try await page.wait(forText: "the account of camera@example.com is there")
    try await page.click("button", "Sign in")
    try await page.wait(forText: "signed in")
    try await page.click("button", "Use the camera")
    try await page.wait(for: "!document.getElementById('camera').hidden")
    try await page.evaluate(
      """
      new Promise(resolve => {
        const video = document.getElementById('viewfinder')
        video.readyState >= 2 ? resolve() : video.onloadeddata = resolve
      })
      """)
    try await page.click("button", "Take the photo")
    try await page.wait(forText: "The picture is taken")
    try await page.click("button", "Upload")
    try await page.wait(
      for: "[...document.querySelectorAll('#gallery img')].some(image => image.complete && image.naturalWidth > 100)")
    #expect(page.complaints() == [])
    try await page.close()
  }

  @Test(arguments: [
    "<img src=x onerror=document.title='run'>", "\"><script>document.title='run'</script>", "'; $(id) `id`",
  ])
  func `what visitors have typed is shown as text`(hostile: String) async throws {
    let page = try await PageServer.forVisitors().page("/")
    let email = "xss\(hostile.utf8.count)@example.com"
    try await fill(page, email: email)
    try await page.fill("Full name", with: hostile)
    try await page.click("button", "Sign up")
    try await page.wait(forText: "the account of \(email) is there")
    try await page.click("button", "Sign in")
    try await page.wait(forText: "signed in")
    try await uploadedPicture(page, title: hostile)
    #expect(try await page.text().contains(hostile))
    #expect(try await page.evaluate("document.title") == "selfie-server")
    #expect(page.complaints() == [])
    try await page.close()
  }

  @Test func `the encryption is that of the app, with and without the browser's help`() async throws {
    let page = try await PageServer.forVisitors().page("/")
    for (text, password) in [
      ("secret12", APIFixture.authPassword), ("", "p"), (String(repeating: "ü€", count: 40), "ß"),
    ] {
      for way in ["byHand", "byWebCrypto"] {
        let encrypted = try await page.evaluate(
          """
          import('/pages/aescrypt.js').then(async aes => {
            const [text, password] = ['\(text)', '\(password)'].map(value => new TextEncoder().encode(value))
            return btoa(String.fromCharCode(...await aes.\(way)(text, password)))
          })
          """)
        #expect(
          encrypted.text == AESCrypt(password: Array(password.utf8)).encrypt(Array(text.utf8)), "\(way)")
      }
    }
    try await page.close()
  }
}
