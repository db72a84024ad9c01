import APITestSupport
import Foundation
import TestSupport
import Testing

/// What a browser refuses to do with the pages and photos of the server.
@Suite(.timeLimit(.minutes(10)), .enabled(if: Chromium.isInstalled)) struct PageSafetyTests {
  private static let paths = ["/", "/__admin/", "/owner"]

  @Test(arguments: paths)
  func `a script that gets into a page does not run`(path: String) async throws {
    let page =
      path == "/owner" ? try await OwnerPageServer.shared().page() : try await PageServer.shared().page(path)
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
    try await page.close()
  }

  @Test(arguments: paths)
  func `no other site can show a page in a frame`(path: String) async throws {
    // There is an owner's page while somebody has it open.
    let ownersPage = path == "/owner" ? try await OwnerPageServer.shared().page() : nil
    let origin =
      path == "/owner" ? try await OwnerPageServer.shared().origin : try await PageServer.shared().origin
    let frame = try WebPage(
      """
      const frame = document.createElement('iframe')
      frame.src = '\(origin)\(path)'
      await new Promise(resolve => { frame.onload = resolve; document.body.append(frame) })
      show('loaded')
      """)
    let page = try await Browser.shared().page()
    try await page.open(frame.origin)
    try await page.wait(forText: "loaded")
    #expect(page.problems.contains { $0.contains("frame-ancestors") || $0.contains("403") }, "\(page.problems)")
    try await page.close()
    try await ownersPage?.close()
  }

  private static let drawing = Array("<svg xmlns='http://www.w3.org/2000/svg' onload='document.title=1'/>".utf8)

  private func address(of photo: [UInt8]) async throws -> String {
    let client = PageClient(server: try await PageServer.shared(), world: "evil-\(photo.count)")
    let base64 = Data(photo).base64EncodedString()
    let seeded = try await client.send(
      "POST", "/__admin/seed",
      json: #"{"users":[{"email":"eve@example.com","photos":[{"title":"evil","base64":"\#(base64)"}]}]}"#)
    return String(try #require(seeded.text.firstMatch(of: /"image_url":"([^"]*)"/)?.1))
  }

  @Test(arguments: [Samples.page, drawing])
  func `a photo that is a page or a drawing with a script is never shown`(photo: [UInt8]) async throws {
    let address = try await address(of: photo)
    let page = try await Browser.shared().page()
    // It is a download.
    await #expect(throws: (any Error).self) { try await page.open(address) }
    #expect(try await page.evaluate("document.title") == "")
    try await page.close()
  }

  @Test func `a picture with a page behind it is shown as a picture`() async throws {
    let picture = PNG.random(width: 3, height: 2) + Data(Samples.page)
    let address = try await address(of: Array(picture))
    let page = try await Browser.shared().page()
    try await page.open(address)
    #expect(try await page.evaluate("document.contentType") == "image/png")
    #expect(try await page.evaluate("document.images.length") == 1)
    #expect(try await page.evaluate("document.scripts.length") == 0)
    try await page.close()
  }
}
