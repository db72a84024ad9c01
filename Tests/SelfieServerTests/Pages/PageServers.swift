import Foundation
import SelfieTestDocuments
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

  /// The bytes of the page's files as they were sent: HTML, CSS and scripts.
  ///
  /// Each file counts once, and the icon never: whether and how often it is loaded is the browser's choice.
  func loadedBytes() async throws -> Double? {
    try await evaluate(
      """
      [...new Map([...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
        .filter(({initiatorType}) => initiatorType !== 'fetch' && initiatorType !== 'img')
        .filter(({name}) => ![...document.querySelectorAll('link[rel~=icon]')].some(icon => icon.href === name))
        .map(({name, encodedBodySize}) => [name, encodedBodySize])).values()]
        .reduce((sum, bytes) => sum + bytes, 0)
      """
    ).number
  }

  /// Expects that the content has moved by itself by less than this share of the window (Layout Instability API): what
  /// follows an input or a new size of the window does not count.
  func expectLittleShift(below limit: Double, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let shifts = try await evaluate(
      """
      new Promise(resolve => new PerformanceObserver((list, observer) => {
        observer.disconnect()
        resolve(list.getEntries())
      }).observe({type: 'layout-shift', buffered: true}) ?? setTimeout(() => resolve([]), 500)).then(entries =>
        entries.filter(({hadRecentInput}) => !hadRecentInput).map(({value, sources}) => [value, sources.map(({node}) => node?.id || node?.nodeName).join()]))
      """
    ).elements.map(\.elements)
    let sum = shifts.compactMap { $0.first?.number }.reduce(0, +)
    #expect(sum < limit, "\(shifts)", sourceLocation: sourceLocation)
  }

  /// The hosts of all requests.
  var hosts: Set<String> {
    Set(urls.compactMap { URL(string: $0) }.filter { $0.scheme != "data" && $0.scheme != "blob" }.compactMap(\.host))
  }
}

/// An app and a test, as requests to the server whose inspector is open, in a world of their own.
struct PageClient: Sendable {
  let server: ServerProcess
  let world: String
  private static let requests = AppRequests(name: TestCredentials.name, password: TestCredentials.password)

  init(_ world: String) async throws {
    self.world = world
    server = try await PageServers.shared.value
  }

  /// Opens the inspector for a new world.
  static func inspector(of world: String, seed: String = #"{"users":[]}"#) async throws -> (BrowserPage, PageClient) {
    let client = try await PageClient(world)
    try await client.control("seed", seed)
    let page = try await client.server.page("/__admin/")
    try await page.wait(
      for: "[...document.querySelectorAll('#world option')].some(option => option.value === '\(world)')")
    try await page.choose(world, of: "World")
    try await page.wait(for: "document.querySelector('#world').value === '\(world)'")
    try await page.wait(forText: "Live")
    return (page, client)
  }

  @discardableResult
  func send(
    _ method: String, _ path: String, json: String? = nil, fields: [String] = [], body: [UInt8] = []
  ) async throws -> RawResponse {
    let type = json == nil ? [] : ["Content-Type: application/json"]
    let request = AppRequest(
      method, path, ["X-Test-World: \(world)"] + type + fields, body: json.map { Array($0.utf8) } ?? body)
    return try await RawClient.response(to: request, at: try await server.origin())
  }

  @discardableResult
  private func send(_ request: AppRequest) async throws -> Int {
    let fields = request.fields + ["Authorization: \(request.authorization ?? "")"]
    return try await send(request.method, request.target, fields: fields, body: request.body).status
  }

  @discardableResult
  func control(_ path: String, _ json: String) async throws -> String {
    let response = try await send("POST", "/__admin/\(path)", json: json)
    try #require(response.status == 200, "\(response.text)")
    return response.text
  }

  @discardableResult
  func signIn(password: String) async throws -> Int {
    try await send(Self.requests.signIn("ada@example.com", password))
  }

  /// Signs in as an app does that has forgotten to encrypt the password.
  func signInWithoutEncryption() async throws -> Int {
    try await send(
      AppRequest(
        "POST", "/api/signin", as: AppRequest.basic(TestCredentials.name, TestCredentials.password),
        ["email": "ada@example.com", "password": "analytical"]))
  }

  @discardableResult
  func photos(token: String) async throws -> Int { try await send(Self.requests.photos(token)) }
}

/// A page of a web app on an origin of its own.
struct WebPage {
  private let server: RawServer

  var origin: String { "http://127.0.0.1:\(server.port)" }

  /// - Parameter script: the JavaScript of the page. It may `await`, and ends with `show(value)`.
  init(_ script: String) throws {
    let html = """
      <!DOCTYPE html><html><head><meta charset="utf-8"></head><body><pre id="shown"></pre><script>
      const show = value => document.getElementById('shown').textContent = JSON.stringify(value)
      ;(async () => {
      \(script)
      })().catch(error => show({error: String(error)}))
      </script></body></html>
      """
    let page = RawServer.Reply.response(200, ["Content-Type: text/html; charset=utf-8"], body: Array(html.utf8))
    // A browser also asks for an icon.
    server = try RawServer(Array(repeating: page, count: 10))
  }

  /// What the page shows in Chromium, with the fragment of its address.
  func shown(_ fragment: String) async throws -> String {
    let page = try await Browser.shared().page()
    try await page.open("\(origin)/#\(fragment)")
    let text = "document.getElementById('shown').textContent"
    try await page.wait(for: "\(text) !== ''")
    let shown = try await page.evaluate(text).text
    try await page.close()
    return shown ?? ""
  }
}
