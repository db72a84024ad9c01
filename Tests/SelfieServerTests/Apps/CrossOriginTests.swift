import APITestSupport
import Foundation
import SelfieAPI
import TestSupport
import Testing

/// `CORS_ORIGINS`: web pages of other origins, in the real program and in a real browser.
@Suite(.timeLimit(.minutes(10))) struct CrossOriginTests {
  private func server(_ origins: String?) throws -> ServerProcess {
    var environment = ["API_AUTH_NAME": APIFixture.authName, "API_AUTH_PASSWORD": APIFixture.authPassword]
    environment["CORS_ORIGINS"] = origins
    return try ServerProcess(environment: environment)
  }

  @Test func `the HTTP server's own responses are marked too, with those that the application never sees`() async throws
  {
    let page = "https://app.example"
    let server = try server("\(page), http://localhost:5173")
    let (fields, tooLong) = (["Host: h", "Origin: \(page)"], String(repeating: "a", count: 40_000))
    for (request, field, status) in [
      ("GET /up", "X: y", 200), ("GET /api/get_photos", "X: y", 401), ("POST /up", "Content-Length: x", 400),
      ("GET /up", "Expect: more", 417),
    ] {
      let response = try await server.response(to: request, fields + [field])
      #expect(response.status == status, "\(response.statusLine)")
      #expect(response["access-control-allow-origin"] == page)
      #expect(response["vary"] == "Origin")
    }
    // No head could be read, so there is no origin to allow.
    let unread = try await server.response(to: "GET /\(tooLong)", fields)
    #expect(unread.status == 414)
    #expect(unread["access-control-allow-origin"] == nil && unread["vary"] == "Origin")
  }

  @Test func `with a star, every response is marked, also those to requests without an Origin`() async throws {
    let server = try server("*")
    let tooLong = String(repeating: "a", count: 40_000)
    for (request, field, status) in [
      ("GET /up", "X: y", 200), ("HEAD /up", "X: y", 200), ("GET /", "X: y", 200), ("GET /pages/home.js", "X: y", 200),
      ("GET /nowhere", "X: y", 404), ("GET /owner", "X: y", 404), ("POST /up", "Content-Length: x", 400),
      ("GET /up", "Expect: more", 417), ("GET /\(tooLong)", "X: y", 414),
    ] {
      let response = try await server.response(to: request, ["Host: h", field])
      #expect(response.status == status, "\(response.statusLine)")
      #expect(response["access-control-allow-origin"] == "*", "\(request.prefix(40))")
      #expect(response["vary"]?.contains("Origin") != true)
    }
  }

  @Test(arguments: ["https://app.example", nil])
  func `a preflight that is not allowed is logged with the reason`(_ origins: String?) async throws {
    let server = try server(origins)
    let fields = ["Host: h", "Origin: http://localhost:8080", "Access-Control-Request-Method: GET"]
    let response = try await server.response(to: "OPTIONS /api/get_photos", fields)
    #expect(response.status == 204 && response["access-control-allow-origin"] == nil)
    #expect(response["x-error-detail"]?.hasPrefix("CORS_ORIGINS does not allow http://localhost:8080") == true)
    let line = try await server.logged("CORS_ORIGINS does not allow http://localhost:8080")
    #expect(line.contains(" method=OPTIONS ") && line.contains(" error_detail="), "\(line)")
  }

  /// A page that shows a photo, whose address is the fragment of its own, and then reads it.
  private static let gallery = """
    const photo = location.hash.slice(1)
    const image = new Image()
    image.src = photo
    await image.decode()
    const response = await fetch(photo)
    show({shown: image.naturalWidth, status: response.status, bytes: (await response.arrayBuffer()).byteLength})
    """

  @Test(.enabled(if: Chromium.isInstalled), arguments: [true, false])
  func `a photo that a browser has cached for an image can be read by a page`(_ isStar: Bool) async throws {
    let page = try WebPage(Self.gallery)
    let server = try server(isStar ? "*" : page.origin)
    let app = try await server.appOfNewUser()
    let picture = PNG.random()
    let address = try await app.postBtnTapped(image: picture).url
    let shown = try await page.shown(address)
    #expect(shown.hasSuffix(#","status":200,"bytes":\#(picture.count)}"#), "\(shown)")
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
  func `a page of an allowed origin uses the whole API in a browser, and no other page does`() async throws {
    let page = try WebPage(Self.webApp)
    for origins in [page.origin, nil, "https://app.example"] {
      let server = try server(origins)
      let shown = try await page.shown(try await server.origin())
      #expect(origins == page.origin ? shown == "{\(Self.expected)}" : shown.contains("Failed to fetch"), "\(shown)")
      await server.stop()
    }
  }
}
