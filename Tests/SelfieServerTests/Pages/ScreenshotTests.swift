import APITestSupport
import Foundation
import SelfieTestDocuments
import TestSupport
import Testing

/// Not a test: makes the pictures of the documentation for `bin/screenshots`.
@Suite(.timeLimit(.minutes(5)), .enabled(if: screenshotFolder != nil)) struct ScreenshotTests {
  private func save(_ page: BrowserPage, _ name: String) async throws {
    let folder = try #require(screenshotFolder)
    try await page.screenshot().write(to: URL(fileURLWithPath: "\(folder)/\(name).png"))
    try await page.end()
  }

  @Test func `the page for visitors`() async throws {
    let page = try await PageServers.shared.value.page("/")
    try await page.resize(width: 1280, height: 1080, scale: 2)
    try await page.wait(forText: "Ready")
    try await page.fill("API name", with: "selfie-tests")
    try await page.fill("API password", with: TestCredentials.password)
    try await page.fill("Email", with: "ada@example.com")
    try await page.fill("Password", with: "secret12")
    try await page.click("Sign up", until: "Signed in")
    // A picture that is made in the page, so that it is the same each time.
    try await page.evaluate(
      """
      (async () => {
        const image = new Image()
        image.src = 'data:image/svg+xml,' + encodeURIComponent(`
          <svg xmlns="http://www.w3.org/2000/svg" width="300" height="300"><rect width="300" height="300" fill="#8ec5ff"/>
            <circle cx="150" cy="320" r="120" fill="#2f6f5e"/><circle cx="150" cy="140" r="75" fill="#f2c79b"/>
            <path d="M123 130h.1m54 0h.1" stroke="#333" stroke-width="16" stroke-linecap="round"/>
            <path d="M117 164a36 36 0 0 0 66 0" fill="none" stroke="#333" stroke-width="6"/></svg>`)
        await image.decode()
        const canvas = document.createElement('canvas')
        canvas.width = canvas.height = 300
        canvas.getContext('2d').drawImage(image, 0, 0)
        const blob = await new Promise(resolve => canvas.toBlob(resolve))
        const files = new DataTransfer()
        files.items.add(new File([blob], 'selfie.png', {type: 'image/png'}))
        document.getElementById('photo').files = files.files
        document.getElementById('photo').dispatchEvent(new Event('change'))
      })()
      """)
    try await page.click("Upload")
    try await page.wait(for: "document.querySelector('#gallery img')?.naturalWidth === 300")
    try await save(page, "home")
  }

  @Test func `the inspector`() async throws {
    let (page, client) = try await PageClient.inspector(
      of: "screenshot",
      seed: #"{"users":[{"email":"ada@example.com","password":"analytical","tokens":["screenshot-token"]}]}"#)
    try await page.resize(width: 1280, height: 800, scale: 2)
    try await client.signIn(password: "analytical")
    try await client.photos(token: "screenshot-token")
    try await page.click("+25 h", until: "(25 h ahead)")
    try await client.photos(token: "screenshot-token")
    try await page.wait(for: "document.querySelectorAll('#requests tr[data-id]').length === 3")
    try await page.evaluate("document.querySelector('#requests a').click()")
    try await page.wait(forText: "expired 1 h ago")
    try await save(page, "inspector")
  }

  /// A request, why it was refused, what to change, and the 200, as one picture.
  @Test func `from a refusal to a 200`() async throws {
    let (inspector, client) = try await PageClient.inspector(
      of: "steps", seed: #"{"users":[{"email":"ada@example.com","tokens":["steps-token"]}]}"#)
    try await inspector.resize(width: 604, height: 432, scale: 2)
    var shots: [String] = []
    for (part, status) in [("file", 400), ("image", 200)] {
      let body = MultipartBody.field("title", "Hello") + MultipartBody.file(part, filename: "me.png", Samples.png)
      let response = try await client.send(
        "POST", "/api/upload_photo",
        fields: ["Authorization: Token token=steps-token", "Content-Type: \(MultipartBody.contentType)"],
        body: body + MultipartBody.end)
      try #require(response.status == status)
      try await inspector.wait(for: "document.querySelectorAll('#requests tr[data-id]').length === \(shots.count + 1)")
      try await inspector.evaluate("document.querySelector('#requests a').click()")
      try await inspector.wait(for: "document.querySelector('#opened .status')?.textContent === '\(status)'")
      shots.append(try await inspector.screenshot().base64EncodedString())
    }
    try await inspector.end()
    let page = try await Browser.shared().page()
    try await page.resize(width: 1280, height: 1000, scale: 2)
    try await page.evaluate(
      """
      (() => {
        const upload = part => `var body = Data()
      body += text("title", "Hello")
      body += file(<mark style="${part[1]}">"${part[0]}"</mark>, "me.png", png)

      var request = URLRequest(url: URL(
        string: BASE_URL + "/upload_photo")!)
      request.httpMethod = "POST"
      request.setValue("Token token=\\\\(token)",
        forHTTPHeaderField: "Authorization")
      URLSession.shared.uploadTask(with: request,
        from: body).resume()`
        const pictures = \(shots.map { "data:image/png;base64,\($0)" })
        const shown = 'box-sizing: border-box; flex: 1; min-height: 0; margin: 0; width: 100%; object-fit: cover; '
          + 'object-position: left top; border: 1px solid #dfe2e6; border-radius: 10px; background: #fff'
        const code = part => `<pre style="${shown}; padding: 20px 24px; font: 19px/1.5 monospace">${upload(part)}</pre>`
        const picture = index => `<img style="${shown}" src="${pictures[index]}">`
        const steps = [
          ['The app sends a photo', code(['file', 'background: #fde8e6; color: #b0231b'])],
          ['The inspector says why it is refused', picture(0)],
          ['One word was wrong', code(['image', 'background: #e2f3e8; color: #126a38'])], ['The photo is stored', picture(1)],
        ]
        document.body.style = 'margin: 24px; display: grid; grid-template: 1fr 1fr / 1fr 1fr; gap: 24px; '
          + 'background: #f3f4f5; color: #171b20; font: 16px system-ui, sans-serif; height: 952px'
        document.body.innerHTML = steps.map(([title, content], index) =>
          `<section style="display: flex; flex-direction: column; min-width: 0; min-height: 0">
            <h2 style="margin: 0 0 8px; font-size: 20px">${index + 1}  ${title}</h2>${content}</section>`).join('')
      })()
      """)
    try await page.wait(for: "[...document.images].every(image => image.naturalWidth)")
    try await save(page, "steps")
  }

  @Test func `the owner's page`() async throws {
    let folder = try TemporaryFolder()
    // Another disk than the storage's, so that nothing needs attention.
    let backups = try TemporaryFolder(in: "/dev/shm")
    let server = try ServerProcess(
      ["serve", "--exit-with-parent"], environment: ["BACKUP_DIR": backups.path, "PASSWORD_COST": "10"], in: folder)
    for name in ["ada", "grace", "jean"] {
      let app = try await server.appOfNewUser("\(name)@example.com")
      for _ in 1...3 { try await app.postBtnTapped() }
    }
    let page = try await server.ownersPage()
    try await page.resize(width: 1280, height: 680, scale: 2)
    try await page.wait(forText: "complete.")
    try await page.wait(forText: "Everything is in order")
    try await save(page, "owner")
    withExtendedLifetime(backups) {}
  }
}

/// Where they go; nil in ordinary runs.
private let screenshotFolder = ProcessInfo.processInfo.environment["SCREENSHOTS"]
