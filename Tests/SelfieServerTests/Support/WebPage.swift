import TestSupport

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
