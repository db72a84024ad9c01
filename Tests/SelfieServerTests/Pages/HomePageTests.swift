import APITestSupport
import Cryptography
import Foundation
import SelfieAPI
import SelfieTestDocuments
import TestSupport
import Testing

/// `GET /` in a real browser.
@Suite(.timeLimit(.minutes(10)), .enabled(if: Chromium.isInstalled)) struct HomePageTests {
  private func page(host: String = "127.0.0.1") async throws -> BrowserPage {
    try await PageServers.forVisitors.value.page("/", host: host)
  }

  /// Types the credentials and an account.
  private func fill(_ page: BrowserPage, email: String, name: String = "Jane Doe") async throws {
    try await page.fill("API name", with: TestCredentials.name)
    try await page.fill("API password", with: TestCredentials.password)
    try await page.fill("Full name", with: name)
    try await page.fill("Email", with: email)
    try await page.fill("Password", with: "secret12")
  }

  private func signUpAndIn(_ page: BrowserPage, email: String, name: String = "Jane Doe") async throws {
    try await fill(page, email: email, name: name)
    try await page.click("Sign up", until: "\(email) has an account. Signed in. The token is valid until")
  }

  private func uploadPicture(_ page: BrowserPage, title: String) async throws {
    let folder = try TemporaryFolder()
    try folder.write(Array(PNG.random()), to: "selfie.png")
    try await page.fill("Title", with: title)
    try await page.choose(file: "\(folder.path)/selfie.png", of: "Photo")
    try await page.wait(for: "document.getElementById('preview').naturalWidth === 30")
    try await page.click("Upload", until: "“\(title)” is stored.")
    try await page.wait(for: "[...document.querySelectorAll('#gallery img')].some(image => image.naturalWidth === 30)")
  }

  /// The second host is no secure context, so that the page has no WebCrypto there.
  @Test(arguments: ["127.0.0.1", "selfie.test"])
  func `a visitor signs up, signs in, uploads a photo, sees it, and deletes it`(host: String) async throws {
    let page = try await page(host: host)
    #expect(try await page.evaluate("isSecureContext") == .bool(host == "127.0.0.1"))
    try await page.wait(forText: "Ready")
    let places = "[...document.querySelectorAll('#places a')].map(link => link.text).join()"
    try await page.wait(for: "\(places) === 'Try it,Documentation,Inspector'")
    try await signUpAndIn(page, email: "visitor@\(host).example")
    try await uploadPicture(page, title: "On the beach")
    #expect(try await page.text().contains("On the beach"))

    try await page.click("Actions for “On the beach”")
    try await page.click("Delete")
    try await page.click("Cancel")
    #expect(try await page.evaluate("document.querySelectorAll('#gallery img').length") == 1)
    try await page.click("Actions for “On the beach”")
    try await page.click("Delete")
    try await page.confirm(until: "No photos yet")
    #expect(try await page.evaluate("document.querySelectorAll('#gallery img').length") == 0)
    #expect(page.hosts == [host])
    try await page.end()
  }

  @Test func `it shows the constants and commands of the address that the visitor came by, and no secret`() async throws
  {
    let page = try await page(host: "selfie.test")
    let port = try await PageServers.forVisitors.value.port()
    try await page.wait(forText: "static let BASE_URL = \"http://selfie.test:\(port)/api\"")
    try await page.wait(forText: "version \(Application.version)")
    let text = try await page.text()
    let command = "curl -i -X POST http://selfie.test:\(port)/api/signup \\\n  -u \"$API_AUTH_NAME:$API_AUTH_PASSWORD\""
    #expect(text.contains(command), "\(text)")
    let lines = try await page.evaluate(
      """
      [...document.querySelectorAll('.endpoints summary')]
        .map(({children: [method, path]}) => `${method.textContent} ${path.textContent}`)
      """)
    #expect(
      lines.elements.compactMap(\.text) == [
        "POST /api/signup", "POST /api/signin", "GET /api/get_token", "POST /api/reset_password",
        "POST /api/upload_photo", "GET /api/get_photos", "DELETE /api/delete_photo", "GET /api/clear_token",
      ])
    #expect(try await page.evaluate("document.getElementById('copy-constants').disabled") == true)
    // There is a command to copy, and no response.
    #expect(try await page.evaluate("document.getElementById('copy-sent').disabled") == false)
    try await page.click("Response", role: "tab")
    #expect(try await page.evaluate("document.getElementById('copy-sent').disabled") == true)

    for path in page.urls { #expect(!path.contains(TestCredentials.password)) }
    #expect(!text.contains(TestCredentials.password) && !text.contains(TestCredentials.name))
    try await page.fill("API password", with: "a secret of \"mine\"", until: "••••••••")
    #expect(try await !page.text().contains("a secret"))
    try await page.end()
  }

  @Test func `an endpoint's line unfolds to its button, and each refusal is a sentence beside its response`()
    async throws
  {
    // Not the server's own machine, on which the credentials are filled in.
    let page = try await page(host: "selfie.test")
    try await page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true")
    try await page.click("Sign in", until: "Please fill in “API name” first.")
    try await fill(page, email: "forms@example.com")
    try await page.fill("API password", with: "wrong")
    for (action, shown) in [
      ("Sign up", "✗ The API name or the API password is wrong."),
      ("Sign up", "forms@example.com has an account"), ("Sign up", "✗ There is already an account with this address."),
      ("Get a token", "Signed in."), ("Change the password", "The password was changed."),
    ] {
      try await page.click(action, until: shown)
      try await page.fill("API password", with: TestCredentials.password)
      try await page.fill("New password", with: "secret13")
    }
    try await uploadPicture(page, title: "one")
    try await page.click("Delete the first photo")
    try await page.confirm(until: "The photo is deleted.")
    // The list of photos is asked for once more, which would be refused after the sign-out.
    try await page.wait(for: "document.querySelector('#gallery li') === null")
    try await page.click("Sign out", until: "Signed out.")
    try await page.fill("Password", with: "secret12")
    try await page.click("Sign in", until: "✗ The password is wrong.")
    #expect(try await page.text().contains("401 Unauthorized in"))
    #expect(
      try await page.evaluate("document.getElementById('response').textContent.includes('\"status\": 401')") == true)
    try await page.end(refusals: 3)
  }

  @Test func `the credentials of a server that keeps nothing are filled in, and Enter sends`() async throws {
    let page = try await page()
    try await page.wait(for: "document.getElementById('api-name').value === '\(TestCredentials.name)'")
    try await page.fill("Email", with: "enter@example.com")
    try await page.fill("Password", with: "secret12")
    try await page.press("Enter")
    try await page.wait(forText: "enter@example.com has an account. Signed in.")
    try await page.press("Enter")
    try await page.wait(forText: "✓ Signed in.")
    try await page.end()
  }

  @Test func `an upload is sent once, can be cancelled, and is asked about if it is not an image`() async throws {
    let page = try await page()
    try await signUpAndIn(page, email: "uploads@example.com")
    let folder = try TemporaryFolder()
    try folder.write(Array(PNG.random()), to: "selfie.png")
    try folder.write(Array("no picture".utf8), to: "notes.txt")
    try folder.write([UInt8](repeating: 7, count: 8_000_000), to: "large.png")
    let tiles = "document.querySelectorAll('#gallery li').length"
    try await page.choose(file: "\(folder.path)/large.png", of: "Photo")
    // As soon as there is something to cancel.
    try await page.evaluate(
      """
      new MutationObserver((changes, observer) => {
        observer.disconnect()
        document.getElementById('cancel-upload').click()
      }).observe(document.getElementById('cancel-upload'), {attributes: true})
      document.getElementById('upload').click()
      """)
    try await page.wait(forText: "Cancelled.")
    try await page.choose(file: "\(folder.path)/selfie.png", of: "Photo")
    try await page.evaluate("for (let i = 0; i < 2; i += 1) document.getElementById('upload').click()")
    try await page.wait(for: "\(tiles) === 1")
    try await page.choose(file: "\(folder.path)/notes.txt", of: "Photo")
    try await page.click("Upload", until: "“notes.txt” is not an image")
    try await page.click("Cancel")
    try await page.fill("Title", with: "the newest")
    try await page.click("Upload")
    try await page.click("Upload it", until: "“the newest” is stored.")
    try await page.wait(forText: "This file cannot be shown.")
    #expect(try await page.evaluate("document.querySelector('#gallery figcaption').textContent") == "the newest")
    #expect(try await page.evaluate(tiles) == 2)
    try await page.end()
  }

  @Test func `while the server is away its page says so, and goes on when it is back`() async throws {
    let server = try await ServerProcess(["serve", "--ephemeral"]).listening()
    let port = try await server.port()
    let page = try await server.page("/")
    try await page.wait(forText: "Ready")
    try await page.fill("Email", with: "away@example.com")
    try await page.fill("Password", with: "secret12")
    await server.stop()
    try await page.click("Sign up", until: "✗ The server does not respond.")
    try await page.wait(
      for: "document.body.className === 'away' && document.querySelector('.notice').checkVisibility()")
    let next = try await ServerProcess(["serve", "--ephemeral"], environment: ["PORT": "\(port)"]).listening()
    try await page.wait(for: "document.body.className === '' && !document.querySelector('.notice')")
    try await page.click("Sign up", until: "away@example.com has an account.")
    try await page.close()
    await next.stop()
  }

  @Test func `a page whose scripts do not arrive says so`() async throws {
    let page = try await Browser.shared().page()
    try await page.block(["*/pages/dom.js"])
    try await page.open("\(try await PageServers.forVisitors.value.origin())/")
    try await page.evaluate("document.getAnimations().forEach(animation => animation.finish())")
    try await page.wait(forText: "This page did not load")
    try await page.close()
  }

  @Test func `it leads to the documentation`() async throws {
    let page = try await page()
    let links = "[...document.links].filter(link => link.pathname === '/pages/docs.html').map(link => link.textContent)"
    let names = Set(try await page.evaluate(links).elements.compactMap(\.text))
    #expect(names.isSuperset(of: ["Compatibility", "Settings", "HTTPS and proxies", "backups", "Security", "Testing"]))
    try await page.end()
  }

  @Test func `a picture can be taken with the camera`() async throws {
    let page = try await page()
    try await signUpAndIn(page, email: "camera@example.com")
    try await page.click("Use the camera")
    try await page.wait(for: "!document.getElementById('camera').hidden")
    try await page.evaluate(
      """
      new Promise(resolve => {
        const video = document.getElementById('viewfinder')
        video.readyState >= 2 ? resolve() : video.onloadeddata = resolve
      })
      """)
    try await page.click("Take the photo", until: "The picture is ready")
    try await page.click("Upload")
    try await page.wait(
      for: "[...document.querySelectorAll('#gallery img')].some(image => image.complete && image.naturalWidth > 100)")
    try await page.end()
  }

  @Test func `what visitors have typed is shown as text`() async throws {
    let page = try await page()
    let hostile =
      "<img src=x onerror=document.title='run'> \"><script>document.title='run'</script> '; $(id) `id`"
    try await signUpAndIn(page, email: "xss@example.com", name: hostile)
    try await uploadPicture(page, title: hostile)
    #expect(try await page.text().contains(hostile))
    #expect(try await page.evaluate("document.title") == "selfie-server")
    try await page.end()
  }

  @Test func `the encryption is that of the app, with and without the browser's help`() async throws {
    let page = try await page()
    for (text, password) in [
      ("secret12", APIFixture.authPassword), ("", "p"), (String(repeating: "ü€", count: 40), "ß"),
    ] {
      for (file, way) in [("aes", "byHand"), ("aescrypt", "byWebCrypto")] {
        let encrypted = try await page.evaluate(
          """
          import('/pages/\(file).js').then(async aes => {
            const [text, password] = ['\(text)', '\(password)'].map(value => new TextEncoder().encode(value))
            return btoa(String.fromCharCode(...await aes.\(way)(text, password)))
          })
          """)
        #expect(
          encrypted.text == AESCrypt(password: Array(password.utf8)).encrypt(Array(text.utf8)), "\(way)")
      }
    }
    try await page.end()
  }

  private static let texts = [
    "plain", "two words", "it's", "$(id) `id` ${HOME} $HOME", "!! \\ \\n", "\"; id #", "a\nid\n", "\u{1b}[201~\u{7}",
    "-o/tmp/x",
    "$API_AUTH_PASSWORDS", "ü € 🙂", "~ * ? [a] {b,c}",
  ]

  /// The commands that the pages show are pasted into a shell, with texts that anybody may have sent.
  @Test func `the shell passes on each text as it was`() async throws {
    let page = try await page()
    func printed(_ function: String, _ text: String, _ before: String = "") async throws -> String {
      let literal = String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
      let word = try await page.evaluate("import('/pages/curl.js').then(({\(function)}) => \(function)(\(literal)))")
      let command = "\(before) printf %s \(word.text ?? "")"
      return try await Blocking.run { try Program.output(of: "/bin/bash", ["-c", command]).text }
    }
    for text in Self.texts {
      for function in ["quoted", "variable"] { #expect(try await printed(function, text) == text, "\(function)") }
    }
    #expect(try await printed("variable", "a=$TOKEN $(id)", "TOKEN='my token';") == "a=my token $(id)")
    try await page.end()
  }
}
