package import HTTPMessages

/// Lets web pages of other origins use the API (WHATWG Fetch, "HTTP-CORS protocol"). `AllowedOrigins` decides which
/// origins these are.
///
/// It stands around the whole server, so that pages can read every response: also those of the HTTP server, which the
/// application never sees. A page never gets the cookies of the server sent along, because no response has
/// Access-Control-Allow-Credentials.
package struct CORS: Sendable {
  private let origins: AllowedOrigins
  private let requestFields: String

  /// - Parameter requestFields: the request fields that pages may set, in addition to those that the API reads.
  package init(_ origins: AllowedOrigins, requestFields: [String] = []) {
    self.origins = origins
    self.requestFields = (Self.requestFields + requestFields).joined(separator: ", ")
  }

  private static let methods = "DELETE, GET, HEAD, PATCH, POST, PUT"
  private static let requestFields = [
    "Authorization", "Content-Type", "If-Match", "If-Modified-Since", "If-None-Match", "If-Range",
    "If-Unmodified-Since", "Range", "X-HTTP-Method-Override", "X-Request-Id",
  ]
  /// Besides those that every page may read, such as Content-Type and Cache-Control.
  private static let responseFields: StaticString = """
    Accept-Ranges, Content-Disposition, Content-Range, ETag, Location, Retry-After, WWW-Authenticate, X-Error, \
    X-Error-Detail, X-Request-Id, X-Runtime
    """
  /// Browsers ask again after this time in seconds. Chromium keeps no answer for longer.
  private static let maxAge: StaticString = "7200"

  /// Responds to a preflight itself, and marks the response to any other request.
  package func reply(to request: Request, by reply: (Request) -> Reply) -> Reply {
    if let preflight = preflight(request.head) {
      request.context?.note { $0.route = "preflight" }
      return .now(preflight)
    }
    return reply(request).map { mark(&$0, to: request.head) }
  }

  /// Adds what lets a page read a response.
  ///
  /// - Parameter head: of the request; nil if it could not be read.
  package func mark(_ response: inout Response, to head: RequestHead?) {
    guard allow(in: &response.fields, head) else { return }
    response.fields.append("Access-Control-Expose-Headers", Self.responseFields)
  }

  /// The response to the request by which a browser asks whether a page may send another one. It is the same for all
  /// addresses: a page that uses a wrong one learns so from the response to its own request.
  private func preflight(_ head: RequestHead) -> Response? {
    guard head.method == .options, let origin = head.fields[.origin], origins.allowing(origin) != nil,
      head.fields[.accessControlRequestMethod] != nil
    else { return nil }
    var fields = ResponseFields()
    _ = allow(in: &fields, head)
    fields.append("Access-Control-Allow-Methods", Self.methods)
    fields.append("Access-Control-Allow-Headers", requestFields)
    fields.append("Access-Control-Max-Age", Self.maxAge)
    fields.append("Cache-Control", "no-cache" as StaticString)
    return Response(status: .noContent, fields: fields)
  }

  /// - Returns: false if the page may not read the response.
  private func allow(in fields: inout ResponseFields, _ head: RequestHead?) -> Bool {
    // Otherwise a cache would give the response to a page of another origin.
    if origins != .all { fields.append("Vary", "Origin" as StaticString) }
    let allowed =
      if let head { head.fields[.origin].flatMap(origins.allowing) } else { origins.only }
    guard let allowed else { return false }
    fields.append("Access-Control-Allow-Origin", allowed)
    return true
  }
}

extension FieldName {
  fileprivate static let accessControlRequestMethod = FieldName("access-control-request-method")
}
