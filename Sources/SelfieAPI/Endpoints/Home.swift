import HTTPMessages
import Pages
import Platform

// The endpoint of the address `/`, and the files of its page. `PageFile` in Pages has the files, and Health.swift the
// endpoints for monitoring.
extension Application {
  /// `GET /`: a page for people who open the server's address in a browser, and what it shows as JSON.
  func home(_ call: Call) async throws -> Response {
    guard settings.hasHomePage else { throw APIError.notFound }
    let accept = call.request.head.fields[.accept] ?? []
    var response: Response
    if !accept.containsIgnoringCase("json") || accept.containsIgnoringCase("html") {
      response = try await page("home.html", for: call.request)
    } else if accept.contains(UInt8(ascii: ",")) {
      response = .success(description(for: call.request), for: call.request)
    } else {
      // The original has no JSON here. A client that accepts nothing else gets the status of a wrong address.
      let error = APIError.notFound.detailed("GET / is a page for people; the API's addresses begin with /api")
      response = error.response()
      response.body = .bytes(description(of: error, for: call.request))
    }
    response.fields.append("Vary", "Accept" as StaticString)
    return response
  }

  /// `GET /pages/NAME`: a file that the page uses or links to.
  func homePageFile(_ call: Call) async throws -> Response {
    guard settings.hasHomePage else { throw APIError.notFound }
    return try await page(String(decoding: call.id ?? [], as: UTF8.self), for: call.request)
  }

  /// `GET /owner` while the owner's page is closed: tells a person so, and a program that there is nothing.
  func closedOwnersPage(_ call: Call) async throws -> Response {
    let accept = call.request.head.fields[.accept] ?? []
    guard settings.hasHomePage, accept.containsIgnoringCase("html") else { throw APIError.notFound }
    var response = try await page("closed.html", for: call.request)
    if response.status == .ok { response.status = .notFound }
    return response
  }

  /// The page that shows a person at an address that no app has where to go instead; nil for programs. Every browser asks
  /// for XHTML, too, and the original answered an app that asks for HTML with JSON.
  func page(insteadOf refusal: APIError, for request: Request) async -> Response? {
    let accept = request.head.fields[.accept] ?? []
    guard settings.hasHomePage, request.head.method == .get, accept.containsIgnoringCase("application/xhtml+xml"),
      var page = try? await page("lost.html", for: request), page.status == .ok
    else { return nil }
    page.status = refusal.status
    page.fields.append("X-Error-Detail", refusal.detailLine)
    return page
  }

  private func page(_ name: String, for request: Request) async throws -> Response {
    guard let file = PageFile(name, in: .home) else { throw APIError.notFound }
    return await file.response(to: request, by: lists)
  }

  /// - Parameter error: whose status and message stand before the rest.
  private func description(of error: APIError? = nil, for request: Request) -> [UInt8] {
    JSONWriter.object { json in
      if let error { StatusMessage.write(error.status.code, error.message, to: &json) }
      json.member("name", "selfie-server")
      json.member("version", Self.version)
      json.member("families", array: APIFamily.allCases.filter(settings.families.contains)) { $0.string($1.rawValue) }
      json.member("signup", settings.signup.rawValue)
      json.member("public_url", settings.publicURL)
      json.member("max_photo_bytes", Int64(settings.maxPhotoBytes))
      if settings.hasInspector { json.member("inspector", "/__admin/") }
      // Others could not run it.
      guard request.isLocal else { return }
      json.member("command", Installation.command)
      guard settings.showsCredentials else { return }
      json.member("api_auth_name", settings.authName)
      json.member("api_auth_password", settings.authPassword)
    }
  }
}
