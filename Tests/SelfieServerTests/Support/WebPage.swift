import HTTPMessages
import HTTPServer
import TestSupport

/// A page of a web app on an origin of its own.
final class WebPage: Sendable {
  let origin: String
  private let server: Server

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
    let listener = try Listener(host: "127.0.0.1", port: 0)
    origin = "http://127.0.0.1:\(listener.port)"
    var limits = Limits()
    limits.drainTimeout = 0
    server = try Server(
      listener: listener, loopCount: 1, limits: limits,
      responder: Responder(
        respond: { _ in
          Response(
            status: .ok, fields: ResponseFields(lines: "Content-Type: text/html; charset=utf-8\r\n"),
            body: .bytes(Array(html.utf8)))
        },
        refuse: { status, _ in Response(status: status) }))
    try server.start()
  }

  deinit { server.stop() }

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
