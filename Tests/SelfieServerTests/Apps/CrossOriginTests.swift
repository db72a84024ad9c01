import APITestSupport
import Foundation
import SelfieAPI
import TestSupport
import Testing

/// `CORS_ORIGINS`: web pages of other origins, in the real program and in a real browser.
@Suite(.timeLimit(.minutes(10))) struct CrossOriginTests {
  private static let credentials = [
    "API_AUTH_NAME": APIFixture.authName, "API_AUTH_PASSWORD": APIFixture.authPassword,
  ]

  private func server(_ origins: String?) throws -> ServerProcess {
    let setting = origins.map { ["CORS_ORIGINS": $0] } ?? [:]
    return try ServerProcess(
      environment: Self.credentials.merging(setting) { $1 }, in: try TemporaryFolder())
  }

  private func response(_ request: String, from server: ServerProcess) async throws -> RawResponse {
    let client = try await RawClient.connect(to: server.port())
    defer { client.close() }
    try await client.send(request)
    return try await client.response()
  }

  @Test func `the HTTP server's own responses are marked too, with those that the application never sees`() async throws
  {
    let page = "https://app.example"
    let server = try server("\(page), http://localhost:5173")
    let tooLong = String(repeating: "a", count: 40_000)
    for (request, status) in [
      ("GET /up HTTP/1.1\r\nHost: h\r\nOrigin: \(page)\r\n\r\n", 200),
      ("GET /api/get_photos HTTP/1.1\r\nHost: h\r\nOrigin: \(page)\r\n\r\n", 401),
      ("POST /up HTTP/1.1\r\nHost: h\r\nOrigin: \(page)\r\nContent-Length: x\r\n\r\n", 400),
      ("GET /up HTTP/1.1\r\nHost: h\r\nOrigin: \(page)\r\nExpect: more\r\n\r\n", 417),
    ] {
      let response = try await response(request, from: server)
      #expect(response.status == status, "\(response.statusLine)")
      #expect(response["access-control-allow-origin"] == page)
      #expect(response["vary"] == "Origin")
    }
    // No head could be read, so there is no origin to allow.
    let unread = try await response("GET /\(tooLong) HTTP/1.1\r\nOrigin: \(page)\r\n\r\n", from: server)
    #expect(unread.status == 414)
    #expect(unread["access-control-allow-origin"] == nil && unread["vary"] == "Origin")
    await server.stop()

    let single = try self.server(page)
    #expect(try await response("GET /\(tooLong) HTTP/1.1\r\n\r\n", from: single)["access-control-allow-origin"] == page)
    await single.stop()
  }

  @Test func `without the setting nothing changes`() async throws {
    let server = try server(nil)
    let page = "Host: h\r\nOrigin: https://app.example\r\n"
    let plain = try await response("GET /up HTTP/1.1\r\n\(page)\r\n", from: server)
    #expect(plain.status == 200)
    let preflight = try await response(
      "OPTIONS /up HTTP/1.1\r\n\(page)Access-Control-Request-Method: GET\r\n\r\n", from: server)
    for response in [plain, preflight] {
      #expect(!response.fields.contains { $0.name.hasPrefix("access-control-") || $0.name == "vary" })
    }
    #expect(preflight["allow"] == "GET, HEAD, OPTIONS")
    await server.stop()
  }

  /// What a web app does: it signs up, in, and uploads, lists, downloads in parts and deletes a photo. The address of the
  /// server is the fragment of its own.
  private static let webApp = """
    const server = location.hash.slice(1)
    const seen = {}
    const credentials = 'Basic ' + btoa('\(APIFixture.authName):\(APIFixture.authPassword)')
    const json = {'Authorization': credentials, 'Content-Type': 'application/json'}
    const password = '\(APIFixture.encrypt(APIFixture.password))'
    const call = async (name, path, options) => {
      const response = await fetch(server + path, options)
      seen[name] = response.status
      return response
    }
    const account = {full_name: 'Jane Doe', email: 'jane@example.com', password}
    await call('signup', '/api/signup', {method: 'POST', headers: json, body: JSON.stringify(account)})
    const user = await (
      await call('signin', '/api/signin', {method: 'POST', headers: json, body: JSON.stringify(account)})).json()
    const token = {'Authorization': 'Token token=' + user.api_authtoken}
    const form = new FormData()
    form.append('title', 'web')
    form.append('image', new Blob([new Uint8Array(1000)]), 'a.png')
    const photo = await (
      await call('upload', '/api/upload_photo', {method: 'POST', headers: token, body: form})).json()
    const list = await call('list', '/api/get_photos', {headers: token})
    const etag = list.headers.get('ETag')
    await call('unchanged', '/api/get_photos', {headers: {...token, 'If-None-Match': etag}, cache: 'no-store'})
    const part = await call('part', '/photos/' + photo.random_id, {headers: {'Range': 'bytes=10-19'}})
    seen.range = part.headers.get('Content-Range')
    const id = '?photo_id=' + photo.random_id
    await call('delete', '/api/delete_photo' + id, {method: 'DELETE', headers: token})
    const denied = await call('denied', '/api/get_photos', {headers: {'Authorization': 'Token token=no'}})
    seen.error = denied.headers.get('X-Error')
    seen.message = (await denied.json()).message
    await call('unknown', '/nowhere', {method: 'PUT'})
    show(seen)
    """

  private static let expected = [
    #""signup":200,"signin":200,"upload":200,"list":200,"unchanged":304,"part":206,"range":"bytes 10-19/1000","#,
    #""delete":200,"denied":401,"error":"invalid_token","message":"HTTP Token: Access denied.","unknown":404"#,
  ].joined()

  @Test(.enabled(if: Chromium.isInstalled))
  func `a page of an allowed origin uses the whole API in a browser`() async throws {
    let page = try WebPage(Self.webApp)
    let server = try server(page.origin)
    let shown = try await page.shown("http://127.0.0.1:\(server.port())")
    #expect(shown == "{\(Self.expected)}")
    await server.stop()
  }

  @Test(.enabled(if: Chromium.isInstalled))
  func `a browser keeps the API from pages of other origins`() async throws {
    let page = try WebPage(Self.webApp)
    for origins in [nil, "https://app.example"] {
      let server = try server(origins)
      let shown = try await page.shown("http://127.0.0.1:\(server.port())")
      #expect(shown.contains("Failed to fetch"), "\(shown)")
      await server.stop()
    }
  }
}
