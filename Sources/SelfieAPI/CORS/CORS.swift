package import HTTPMessages

/// Lets web pages of other origins use the API (WHATWG Fetch, "HTTP-CORS protocol"). `AllowedOrigins` decides which
/// origins these are.
///
/// It stands around the whole server, so that pages can read every response: also those of the HTTP server, which the
/// application never sees. A page never gets the cookies of the server sent along, because no response has
/// Access-Control-Allow-Credentials. A preflight that it does not allow goes on to the application, which says so.
package struct CORS: Middleware {
  private let origins: AllowedOrigins

  package init(_ origins: AllowedOrigins) {
    self.origins = origins
  }

  private static let methods = "DELETE, GET, HEAD, PATCH, POST, PUT"
  /// Besides those that every page may read, such as Content-Type and Cache-Control.
  private static let responseFields: StaticString = """
    Accept-Ranges, Content-Disposition, Content-Range, ETag, Location, Retry-After, WWW-Authenticate, X-Error, \
    X-Error-Detail, X-Request-Id, X-Runtime
    """
  /// Browsers ask again after this time in seconds. Chromium keeps no answer for longer.
  private static let maxAge: StaticString = "7200"

  /// Responds to a preflight itself, and marks the response to any other request.
  package func handle(_ request: Request, next: @escaping @Sendable (Request) -> Reply) -> Reply {
    if let preflight = preflight(request.head) {
      request.context?.note { $0.route = "preflight" }
      return .now(preflight)
    }
    return next(request).map { mark(&$0, to: request.head) }
  }

  package func handle(refusal: inout Response, of request: RefusedRequest) { mark(&refusal, to: request.head) }

  /// Adds what lets a page read a response.
  private func mark(_ response: inout Response, to head: RequestHead?) {
    guard allow(in: &response.fields, head) else { return }
    response.fields.append("Access-Control-Expose-Headers", Self.responseFields)
  }

  /// The response to the request by which a browser asks whether a page may send another one. It is the same for all
  /// addresses: a page that uses a wrong one learns so from the response to its own request.
  ///
  /// The page may set whatever fields it asks for. Libraries add fields that no list can foresee, and without the
  /// server's cookies a page can send nothing that other programs cannot.
  private func preflight(_ head: RequestHead) -> Response? {
    guard head.isPreflight, origins.allowing(head) != nil else { return nil }
    var fields = ResponseFields()
    _ = allow(in: &fields, head)
    fields.append("Access-Control-Allow-Methods", Self.methods)
    for names in head.fields.all(.accessControlRequestHeaders) {
      fields.append("Access-Control-Allow-Headers", Array(names))
    }
    fields.append("Access-Control-Max-Age", Self.maxAge)
    fields.append("Cache-Control", "no-cache" as StaticString)
    return Response(status: .noContent, fields: fields)
  }

  /// - Returns: false if the page may not read the response.
  private func allow(in fields: inout ResponseFields, _ head: RequestHead?) -> Bool {
    // Otherwise a cache would give the response to a page of another origin.
    if origins != .all { fields.append("Vary", "Origin" as StaticString) }
    guard let allowed = origins.allowing(head) else { return false }
    fields.append("Access-Control-Allow-Origin", allowed)
    return true
  }
}

extension RequestHead {
  /// Whether a browser asks whether a page may send another request (WHATWG Fetch, "CORS-preflight request").
  var isPreflight: Bool {
    method == .options && fields[.origin] != nil && fields[.accessControlRequestMethod] != nil
  }
}

extension FieldName {
  fileprivate static let accessControlRequestMethod = FieldName("access-control-request-method")
  fileprivate static let accessControlRequestHeaders = FieldName("access-control-request-headers")
}
