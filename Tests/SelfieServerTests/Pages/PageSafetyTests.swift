import APITestSupport
import Foundation
import TestSupport
import Testing

/// What a browser refuses to do with the pages and photos of the server.
@Suite(.timeLimit(.minutes(10)), .enabled(if: Chromium.isInstalled)) struct PageSafetyTests {
  @Test(arguments: ["/", "/__admin/", "/owner"])
  func `a script that gets into a page does not run, and no other site can show it in a frame`(
    path: String
  ) async throws {
    let server = try await (path == "/owner" ? PageServers.owners : PageServers.shared).value
    let page = path == "/owner" ? try await server.ownersPage() : try await server.page(path)
    try await page.evaluate(
      """
      document.body.insertAdjacentHTML('beforeend',
        '<img src=x onerror="document.title=1"><a id=link href="javascript:document.title=1">x</a>')
      document.getElementById('link').click()
      const script = document.createElement('script')
      script.textContent = 'document.title = 1'
      document.body.append(script)
      """)
    try await page.evaluate("new Promise(resolve => setTimeout(resolve))")
    #expect(try await page.evaluate("document.title").text?.contains("selfie-server") == true)
    #expect(page.problems.contains { $0.contains("Content Security Policy") })

    let frame = try WebPage(
      """
      const frame = document.createElement('iframe')
      frame.src = '\(try await server.origin())\(path)'
      await new Promise(resolve => { frame.onload = resolve; document.body.append(frame) })
      show('loaded')
      """)
    let other = try await Browser.shared().page()
    try await other.open(frame.origin)
    try await other.wait(forText: "loaded")
    #expect(other.problems.contains { $0.contains("frame-ancestors") || $0.contains("403") }, "\(other.problems)")
    try await other.close()
    // There is an owner's page while somebody has it open.
    try await page.close()
  }

  private func address(of photo: [UInt8]) async throws -> String {
    let base64 = Data(photo).base64EncodedString()
    let seeded = try await PageClient("evil-\(photo.count)").control(
      "seed", #"{"users":[{"email":"eve@example.com","photos":[{"title":"evil","base64":"\#(base64)"}]}]}"#)
    return String(try #require(seeded.firstMatch(of: /"image_url":"([^"]*)"/)?.1))
  }

  @Test func `a photo that is a page or a drawing is never shown, and a picture with a page after it is a picture`()
    async throws
  {
    let drawing = Array("<svg xmlns='http://www.w3.org/2000/svg' onload='document.title=1'/>".utf8)
    let page = try await Browser.shared().page()
    for photo in [Samples.page, drawing] {
      let address = try await address(of: photo)
      // It is a download.
      await #expect(throws: (any Error).self) { try await page.open(address) }
      #expect(try await page.evaluate("document.title") == "")
    }
    try await page.open(try await address(of: Array(PNG.random(100)) + Samples.page))
    #expect(try await page.evaluate("document.contentType") == "image/png")
    #expect(try await page.evaluate("document.images.length") == 1)
    #expect(try await page.evaluate("document.scripts.length") == 0)
    try await page.close()
  }
}
