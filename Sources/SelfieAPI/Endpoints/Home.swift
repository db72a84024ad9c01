import HTTPMessages
import Pages

extension Application {
  /// `GET /`: a page for people who open the server's address in a browser, and what it shows as JSON.
  func home(_ call: Call) throws -> Response {
    guard settings.hasHomePage else { throw APIError.notFound }
    var response =
      switch Self.preference(of: call.request) {
      case .page: try Self.page("home.html", for: call.request)
      case .description: success(description(), for: call.request)
      // The original has no JSON here. A client that accepts nothing else gets the status of a wrong address.
      case .onlyJSON:
        Response(status: .notFound, fields: .uncachedJSON, body: .bytes(description(of: APIError.notFound)))
      }
    response.fields.append("Vary", "Accept" as StaticString)
    return response
  }

  /// `GET /pages/NAME`: a file that the page uses or links to.
  func homePageFile(_ call: Call) throws -> Response {
    guard settings.hasHomePage else { throw APIError.notFound }
    return try Self.page(String(decoding: call.id ?? [], as: UTF8.self), for: call.request)
  }

  private static func page(_ name: String, for request: Request) throws -> Response {
    guard let file = PageFile(name, in: .home) else { throw APIError.notFound }
    return file.response(to: request)
  }

  private enum Preference {
    case page, description, onlyJSON
  }

  private static func preference(of request: Request) -> Preference {
    guard let accept = request.head.fields[.accept], accept.containsIgnoringCase("json"),
      !accept.containsIgnoringCase("html")
    else { return .page }
    return accept.contains(UInt8(ascii: ",")) ? .description : .onlyJSON
  }

  /// - Parameter error: whose status and message stand before the rest.
  private func description(of error: APIError? = nil) -> [UInt8] {
    JSONWriter.object { json in
      if let error { StatusMessage.write(error.status.code, error.message, to: &json) }
      json.member("name", "selfie-server")
      json.member("version", Self.version)
      json.key("families")
      json.array { json in
        for family in APIFamily.allCases where settings.families.contains(family) { json.string(family.rawValue) }
      }
      json.member("signup", settings.signup.rawValue)
      json.member("public_url", settings.publicURL)
      json.member("max_photo_bytes", Int64(settings.maxPhotoBytes))
    }
  }
}
