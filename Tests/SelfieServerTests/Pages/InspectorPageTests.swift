import APITestSupport
import Cryptography
import Foundation
import SelfieTestDocuments
import TestSupport
import Testing

/// The inspector in a real browser.
@Suite(.timeLimit(.minutes(10)), .enabled(if: Chromium.isInstalled)) struct InspectorPageTests {
  private static let ada =
    #"{"users":[{"email":"ada@example.com","password":"analytical","tokens":["ada-token"]}]}"#

  /// The method, path and status of the newest request in the list.
  private static let newest = """
    (({cells}) => [cells[2], cells[3].firstChild, cells[4].firstChild].map(part => part.textContent).join(' '))(
      document.querySelector('#requests tr'))
    """
  private static let shownRows = "document.querySelectorAll('#requests tr:not([hidden])').length"

  private func openNewest(_ page: BrowserPage, _ text: String) async throws {
    try await show("requests", on: page)
    try await page.wait(for: "\(Self.newest).includes('\(text)')")
    try await page.evaluate("document.querySelector('#requests a').click()")
  }

  private func show(_ tab: String, on page: BrowserPage) async throws {
    try await page.evaluate("document.getElementById('\(tab)-tab').click()")
    try await page.wait(for: "!document.getElementById('\(tab)-panel').inert")
  }

  @Test func `the owner's link opens it once`() async throws {
    let server = try await PageServers.shared.value
    let printed = try await server.folder.run("owner --storage-dir \(try server.ephemeralFolder())")
    let link = try #require(printed.output.first, "\(printed)")
    let page = try await Browser.shared().page()
    try await page.open(link)
    try await page.wait(forText: "Live")
    #expect(try await page.evaluate("location.pathname + location.hash") == "/__admin/")
    try await page.end()
    let other = try await Browser.shared().page()
    try await other.open(link)
    try await other.wait(forText: "This link was used before")
    #expect(try await other.evaluate("document.querySelector('.notice code').textContent") == "bin/selfie-server owner")
    try await other.end(refusals: 1)
  }

  @Test func `a developer sees a request as it arrives, and why its sign-in fails`() async throws {
    let (page, client) = try await PageClient.inspector(of: "signin", seed: Self.ada)
    let places = try await page.evaluate("[...document.querySelectorAll('#places a')].map(link => link.text).join()")
    #expect(places == "Try it,Documentation,Inspector")
    #expect(try await client.signInWithoutEncryption() == 401)
    try await openNewest(page, "POST /api/signin 401")
    try await page.wait(forText: "The password does not decrypt with the API’s password")
    #expect(try await !page.text().contains("Let the user"))
    #expect(try await client.signIn(password: "wrong-one") == 401)
    try await page.wait(for: "document.querySelectorAll('#requests tr').length === 2")
    try await openNewest(page, "POST /api/signin 401")
    try await page.wait(forText: "it is not this user’s")
    // With the parts of an opened request. What follows is loaded when it is needed.
    #expect(try #require(try await page.loadedBytes()) < 33_000)
    try await page.click("Copy as curl", until: "curl -i -X POST \(try await client.server.origin())/api/signin")
    try await page.click("Copy as Swift", until: "forHTTPHeaderField: \"Authorization\"")
    try await page.click("Copy as Markdown", until: "### POST /api/signin: 401")
    #expect(try await client.signIn(password: "analytical") == 200)
    try await openNewest(page, "POST /api/signin 200")
    try await page.wait(forText: #""api_authtoken": "(…)""#)
    // The user, in the list.
    try await page.wait(for: "document.querySelector('#requests .why.faint').textContent === 'ada@example.com'")
    try await page.wait(forText: "application/json; charset=utf-8")
    #expect(page.hosts == ["127.0.0.1"])
    try await page.end()
  }

  @Test func `an empty list has the app's constants, and an example that shows why a request is refused`() async throws
  {
    let (page, client) = try await PageClient.inspector(of: "first")
    try await page.wait(forText: "static let BASE_URL = \"\(try await client.server.origin())/api\"")
    #expect(try await page.text().contains("static let API_AUTH_NAME = \"\(TestCredentials.name)\""))
    try await page.click("Send an example", until: "The password is not encrypted")
    #expect(try await page.evaluate("document.getElementById('empty').hidden") == true)
    try await page.end(refusals: 1)
  }

  @Test func `the body is shown around a mistake, and a password that was encrypted twice is named`() async throws {
    let (page, client) = try await PageClient.inspector(of: "mistakes", seed: Self.ada)
    let authorization = "Authorization: \(AppRequest.basic(TestCredentials.name, TestCredentials.password))"
    let json = #"{"email":"ada@example.com","password":"secret",}"#
    try await client.send("POST", "/api/signin", json: json, fields: [authorization])
    try await openNewest(page, "POST /api/signin 400")
    try await page.wait(for: "document.querySelector('.excerpt')")
    #expect(
      try await page.evaluate("document.querySelector('.excerpt').textContent")
        == .string("…xample.com\",\"password\":\"(…)\",}\n\(String(repeating: " ", count: 30))^"))
    // They may be there.
    #expect(try await page.evaluate("document.querySelector('.compared').innerText.includes('missing')") == false)
    let cipher = AESCrypt(password: Array(TestCredentials.password.utf8))
    let twice = cipher.encrypt(Array(cipher.encrypt(Array("secret12".utf8)).utf8))
    let account = #"{"email":"bob@example.com","full_name":"Bob","password":"\#(twice)"}"#
    try await client.send("POST", "/api/signup", json: account, fields: [authorization])
    try await page.wait(forText: "The password was encrypted twice.")
    try await page.end()
  }

  @Test func `a preflight that is not allowed says what the setting does not allow`() async throws {
    let (page, client) = try await PageClient.inspector(of: "preflight", seed: Self.ada)
    let fields = ["Origin: http://localhost:8080", "Access-Control-Request-Method: POST"]
    #expect(try await client.send("OPTIONS", "/api/signin", fields: fields).status == 204)
    try await page.wait(forText: "CORS_ORIGINS does not allow http://localhost:8080")
    try await page.end()
  }

  @Test func `a download shows its photo, and a large response how it begins`() async throws {
    let photos = (0..<60).map { _ in #"{"title":"On the beach","base64":"\#(Base64.encode(PNG.random()))"}"# }
    let (page, client) = try await PageClient.inspector(
      of: "responses",
      seed:
        #"{"users":[{"email":"ada@example.com","tokens":["many-token"],"photos":[\#(photos.joined(separator: ","))]}]}"#
    )
    let list = try await client.send("GET", "/api/get_photos", fields: ["Authorization: Token token=many-token"]).text
    try await openNewest(page, "GET /api/get_photos 200")
    try await page.wait(for: "document.querySelector('#opened pre')?.textContent.endsWith('…')")
    try await client.send("GET", "/photos/\(try #require(list.firstMatch(of: /"random_id":"(\w+)"/)?.1))")
    try await openNewest(page, "GET /photos/")
    try await page.wait(for: BrowserPage.isPictureShown)
    #expect(try await page.text().contains("image/png"))
    try await page.end()
  }

  @Test func `the clock is turned, and the app's token expires`() async throws {
    let (page, client) = try await PageClient.inspector(of: "clock", seed: Self.ada)
    #expect(try await client.photos(token: "ada-token") == 200)
    try await page.wait(for: "\(Self.newest) === 'GET /api/get_photos 200'")
    try await page.click("+25 h", until: "(25 h ahead)")
    #expect(try await client.photos(token: "ada-token") == 401)
    try await openNewest(page, "GET /api/get_photos 401")
    try await page.wait(forText: "expired 1 h ago, of ada@example.com")
    #expect(
      try await page.evaluate("[...document.querySelectorAll('#requests tr')].map(row => row.className).join()")
        == ",turn,")
    #expect(try await page.text().contains("The clock was turned: 25 h ahead"))
    try await page.click("Freeze", until: "frozen, 25 h ahead")
    try await page.click("Run", until: "(25 h ahead)")
    try await page.evaluate("document.getElementById('clock-date').value = '2050-01-02T03:04:05'")
    try await page.click("Set")
    try await page.wait(for: "new Date(document.getElementById('now').dateTime).getFullYear() === 2050")
    try await page.click("Real time", until: "(real time)")
    #expect(try await client.photos(token: "ada-token") == 200)
    try await page.end()
  }

  @Test func `a fault is set, felt, and removed`() async throws {
    let (page, client) = try await PageClient.inspector(of: "fault", seed: Self.ada)
    try await show("faults", on: page)
    try await page.click("Add fault", until: "The fault was added.")
    try await page.wait(forText: "any method /api/*: status 503")
    try await page.wait(for: "document.getElementById('fault-total').textContent === '1'")
    #expect(try await client.photos(token: "ada-token") == 503)
    // It can fire no more.
    try await page.wait(for: "document.getElementById('fault-total').hidden")
    try await page.wait(forText: "changed 1 of 1 request, used up")
    try await openNewest(page, "GET /api/get_photos 503")
    try await page.wait(forText: "Fault 1 changed the response")
    #expect(try await client.photos(token: "ada-token") == 200)
    try await show("faults", on: page)
    try await page.click("Remove fault 1")
    try await page.wait(for: "document.querySelectorAll('#faults li').length === 0")
    try await page.end()
  }

  @Test func `a world is seeded, saved, emptied and restored, and its photos are shown`() async throws {
    let (page, client) = try await PageClient.inspector(of: "data")
    try await client.control("faults", #"{"status":503,"count":1}"#)
    let picture = Base64.encode(PNG.random())
    try await show("data", on: page)
    try await page.evaluate(
      """
      document.getElementById('seed').value = JSON.stringify(
        {users: [{email: 'ada@example.com', photos: [{title: 'On the beach', base64: '\(picture)'}]}]})
      """)
    try await page.evaluate("document.getElementById('plant').click()")
    try await page.wait(forText: "1 user created.")
    try await page.click("Photos", role: "tab")
    try await page.wait(for: BrowserPage.isPictureShown)
    // To look is no request of the test.
    try await client.control("requests/verify", #"{"exactly":0}"#)
    try await page.evaluate("document.getElementById('save').click()")
    try await page.wait(forText: "The snapshot before is saved.")
    try await page.click("Users", role: "tab")
    try await page.click("Reset everything")
    try await page.confirm(until: "Everything was removed.")
    #expect(try await page.text().contains("There are no users."))
    try await page.click("Snapshots", role: "tab")
    try await page.click("Actions for before")
    try await page.click("Restore", until: "The snapshot before is restored.")
    try await page.click("Users", role: "tab", until: "ada@example.com")
    try await page.click("Photos", role: "tab")
    try await page.wait(forText: "On the beach")
    try await page.end()
  }

  @Test func `the list can be filtered, paused and cleared, and a world that is made meanwhile appears`() async throws {
    let (page, client) = try await PageClient.inspector(of: "list")
    try await PageClient("appears").control("seed", #"{"users":[]}"#)
    try await page.wait(for: "[...document.querySelectorAll('#world option')].some(({value}) => value === 'appears')")
    for path in ["/one", "/two"] { try await client.send("GET", path) }
    try await page.wait(for: "\(Self.newest) === 'GET /two 404'")
    try await page.fill("Filter", with: "one 404", role: "searchbox")
    try await page.wait(for: "document.querySelectorAll('#requests tr:not([hidden])').length === 1")
    #expect(try await page.evaluate("location.search") == "?world=list&q=one+404")
    try await page.fill("Filter", with: " ", role: "searchbox")
    try await page.click("Pause")
    try await client.send("GET", "/three")
    try await page.wait(forText: "Paused")
    #expect(try await !page.text().contains("/three"))
    try await page.click("Continue")
    try await page.wait(for: "\(Self.newest) === 'GET /three 404'")
    for _ in 0..<2 { try await client.send("GET", "/three") }
    // Those that failed alike are one line.
    try await page.wait(forText: "×3")
    #expect(try await page.evaluate(Self.shownRows) == 3)
    try await page.click("Show all 3")
    try await page.wait(for: "\(Self.shownRows) === 5")
    try await page.evaluate("document.activeElement.blur()")
    for (key, path) in [("j", "/three"), ("j", "/three"), ("j", "/three"), ("j", "/two"), ("k", "/three")] {
      try await page.press(key)
      try await page.wait(for: "document.querySelector('#opened h2')?.textContent === 'GET \(path)'")
    }
    try await page.press("?")
    try await page.wait(for: "document.getElementById('keys')?.open")
    try await page.evaluate("document.getElementById('keys').close()")
    try await page.press("/")
    try await page.wait(for: "document.activeElement.id === 'filter'")
    try await page.click("Clear", until: "No requests yet.")
    try await page.end()
  }

  @Test func `a refused upload is compared with what its address needs, and is found by the reason`() async throws {
    let (page, client) = try await PageClient.inspector(of: "upload", seed: Self.ada)
    let body = MultipartBody.file("file", filename: "a.png", Samples.png) + MultipartBody.field("title", "me")
    try await client.send(
      "POST", "/api/upload_photo",
      fields: ["Authorization: Token token=ada-token", "Content-Type: \(MultipartBody.contentType)"],
      body: body + MultipartBody.end)
    try await client.send("GET", "/other")
    try await page.wait(for: "\(Self.shownRows) === 2")
    let reason = try #require(
      try await page.evaluate("document.querySelectorAll('#requests .warn.why')[1].textContent").text)
    try await page.fill("Filter", with: reason, role: "searchbox")
    try await page.wait(for: "\(Self.shownRows) === 1")
    try await page.evaluate("document.querySelector('#requests tr:not([hidden]) a').click()")
    try await page.wait(for: "document.querySelector('#opened .note strong')")
    #expect(try await page.evaluate("document.querySelector('#opened .note strong').textContent") == .string(reason))
    let rows = try await page.evaluate(
      """
      [...document.querySelectorAll('.compared tbody tr')]
        .map(({className, cells}) => [className, ...[...cells].map(cell => cell.textContent)].join('|'))
      """)
    #expect(
      rows.elements.compactMap(\.text) == [
        "|Authorization|Token (…)|✓ Token token=<the api_authtoken of a sign-in>",
        "|title|me|✓ text", "bad|image|missing|file", "faint|file|a.png, 508 B, image/png|ignored",
      ])
    try await page.end()
  }

  @Test func `a request is sent again, with the secrets that the journal does not have`() async throws {
    let (page, client) = try await PageClient.inspector(of: "again", seed: Self.ada)
    try await client.send("GET", "/nowhere")
    try await openNewest(page, "GET /nowhere 404")
    try await page.click("Send again", until: "404. The request is at the top of the list.")
    try await page.wait(forText: "×2")
    try await client.signIn(password: "wrong-one")
    try await openNewest(page, "POST /api/signin 401")
    try await page.click("Send again")
    try await page.fill("API name", with: TestCredentials.name)
    try await page.fill("API password", with: TestCredentials.password)
    try await page.fill("Password, not encrypted", with: "analytical")
    try await page.click("Send", until: "200. The request is at the top of the list.")
    try await page.wait(for: "\(Self.newest) === 'POST /api/signin 200'")
    try await page.end(refusals: 1)
  }

  @Test func `a link with credentials in it opens the page`() async throws {
    let page = try await Browser.shared().page()
    try await page.open("http://ada:secret@127.0.0.1:\(try await PageServers.shared.value.port())/__admin/")
    try await page.wait(forText: "Live")
    try await page.end()
  }

  @Test func `all worlds are listed together, and a link opens a request`() async throws {
    let (page, client) = try await PageClient.inspector(of: "together")
    let id = String(repeating: "0123456789", count: 4)
    try await client.send("GET", "/photos/\(id)?size=1")
    try await PageClient("apart").send("GET", "/apart")
    try await page.choose("*", of: "World")
    for text in ["together GET /photos/012345…6789 404", "apart GET /apart 404"] {
      try await page.wait(
        for: """
          [...document.querySelectorAll('#requests tr')].some(({cells}) =>
            `${cells[1].textContent} ${cells[2].textContent} ${cells[3].firstChild.textContent} ${cells[4].textContent}`
              === '\(text)')
          """)
    }
    let link = "document.querySelector('#requests a[title=\"/photos/\(id)\"]')"
    let address = try #require(try await page.evaluate("\(link).getAttribute('href')").text)
    let other = try await client.server.page("/__admin/\(address)")
    try await other.wait(forText: "GET /photos/\(id)")
    try await other.end()
    try await page.end()
  }

  private static let hostile = "<img src=x onerror=document.title='run'>"

  @Test func `hostile names, titles, addresses, file names, agents and paths are shown as text`() async throws {
    let hostile = Self.hostile
    let (page, client) = try await PageClient.inspector(of: "xss")
    let user: [String: Any] = [
      "email": "\(hostile)@example.com", "first_name": hostile, "tokens": ["xss-token"],
      "photos": [["title": hostile, "base64": Base64.encode(PNG.random(100))]],
    ]
    let seed = try JSONSerialization.data(withJSONObject: ["users": [user]])
    try await client.control("seed", String(decoding: seed, as: UTF8.self))
    let path =
      "/api/%3Cscript%3Edocument.title=1%3C/script%3E?q=\(hostile.utf8.map { "%" + String($0, radix: 16) }.joined())"
    try await client.send("GET", path, fields: ["User-Agent: \(hostile)", "\(hostile.filter(\.isLetter)): \(hostile)"])
    try await openNewest(page, "script")
    try await page.wait(forText: hostile)
    var body = MultipartBody.file("image", filename: "\(hostile.replacing("\"", with: "")).png", Samples.png)
    body += MultipartBody.field("title", hostile) + MultipartBody.end
    try await client.send(
      "POST", "/api/upload_photo",
      fields: ["Authorization: Token token=xss-token", "Content-Type: \(MultipartBody.contentType)"], body: body)
    try await openNewest(page, "POST /api/upload_photo")
    try await show("data", on: page)
    try await page.wait(for: "document.querySelectorAll('#pictures figcaption').length === 2")
    #expect(try await page.text().contains("\(hostile)@example.com"))
    #expect(try await page.evaluate("document.title") == "Inspector · selfie-server")
    #expect(try await page.evaluate("document.querySelectorAll('img[src=x], main script').length") == 0)
    try await page.end()
  }
}
