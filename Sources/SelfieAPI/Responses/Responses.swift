import Cryptography
package import HTTPMessages

// The parts that successful responses have in common. ErrorResponses.swift makes the responses to errors,
// and ListResponses.swift those with lists.
extension ResponseFields {
  /// Of JSON that no cache may keep.
  static var uncachedJSON: ResponseFields {
    ResponseFields(lines: "Content-Type: application/json; charset=utf-8\r\nCache-Control: no-cache\r\n")
  }

  /// Of JSON that a client may keep, and asks for again by its tag.
  ///
  /// - Parameter tag: nil if there is none yet.
  static func revalidatedJSON(_ tag: ETag?) -> ResponseFields {
    var fields = ResponseFields(
      lines: """
        Content-Type: application/json; charset=utf-8\r
        Cache-Control: max-age=0, private, must-revalidate\r\n
        """)
    if let tag { fields.append("ETag", tag.bytes) }
    return fields
  }
}

extension Response {
  /// A 200 with JSON, or a 304 if the client has the same already.
  ///
  /// - Parameters:
  ///   - etag: instead of the body's own.
  ///   - isConditional: false where the response must never be a 304.
  static func success(
    _ json: [UInt8], for request: Request, etag: ETag? = nil, isConditional: Bool = true
  ) -> Response {
    let etag = etag ?? ETag(of: json)
    if isConditional && etag.matches(request) { return notModified(etag) }
    return Response(status: .ok, fields: .revalidatedJSON(etag), body: .bytes(json))
  }

  static func notModified(_ etag: ETag) -> Response {
    var fields = ResponseFields(lines: "Cache-Control: max-age=0, private, must-revalidate\r\n")
    fields.append("ETag", etag.bytes)
    return Response(status: .notModified, fields: fields)
  }
}

extension User {
  /// The user as signup, signin, reset_password and refresh_token return it.
  func json(with token: IssuedToken?) -> [UInt8] {
    JSONWriter.object { json in
      json.member("first_name", firstName)
      json.member("last_name", lastName)
      json.member("email", email)
      json.member("api_authtoken", token?.letters)
      json.member("authtoken_expiry", time: token?.token.expiresAt)
    }
  }
}

extension APISettings {
  /// The address of a photo up to its id, as a part of a JSON string.
  package func photoURLPrefix(for request: Request) -> [UInt8] {
    if let publicURL { return JSONWriter.fragment(escaping: Array(publicURL.utf8)[...], then: "/photos/") }
    // Only a request of HTTP/1.0 has no Host.
    let host = request.head.host ?? Array("localhost".utf8)[...]
    return JSONWriter.fragment(usesTLS ? "https://" : "http://", escaping: host, then: "/photos/")
  }
}

/// `{"status":N,"message":"…"}`, which clients show: all errors, and successes that have nothing else to tell.
/// `ErrorFormat` has the errors of the other apps.
package enum StatusMessage {
  package static func json(_ status: Int, _ message: String) -> [UInt8] {
    JSONWriter.object { write(status, message, to: &$0) }
  }

  /// Writes the two members into an object that has more.
  package static func write(_ status: Int, _ message: String, to json: inout JSONWriter) {
    json.member("status", Int64(status))
    json.member("message", message)
  }
}
