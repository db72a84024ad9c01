import HTTPMessages

extension Application {
  /// A 200 with JSON, or the 304 that it comes down to.
  ///
  /// As Rails' middleware did: the ETag is a digest of the body, and If-None-Match is compared to
  /// the letter; a request that has If-Modified-Since too is never answered 304, since there is no
  /// Last-Modified that it could match.
  ///
  /// - Parameters:
  ///   - etag: 32 hexadecimal digits to use instead of the body's digest.
  ///   - isConditional: false for what must be told whenever it is asked for.
  func success(_ json: [UInt8], for request: Request, etag: [UInt8]? = nil, isConditional: Bool = true) -> Response {
    let tag = Self.quoted(etag ?? Self.tag(of: json))
    if isConditional && Self.matches(tag, request) { return notModified(tag) }
    var fields = ResponseFields(
      lines: """
        Content-Type: application/json; charset=utf-8\r
        Cache-Control: max-age=0, private, must-revalidate\r\n
        """)
    fields.append("ETag", tag)
    return Response(status: .ok, fields: fields, body: .bytes(json))
  }

  /// The digits of the ETag of a body.
  static func tag(of json: [UInt8]) -> [UInt8] {
    MurmurHash3(of: json).hexDigits
  }

  func notModified(_ tag: [UInt8]) -> Response {
    var fields = ResponseFields(lines: "Cache-Control: max-age=0, private, must-revalidate\r\n")
    fields.append("ETag", tag)
    return Response(status: .notModified, fields: fields)
  }

  /// Whether the client has what this tag stands for already.
  private static func matches(_ tag: [UInt8], _ request: Request) -> Bool {
    guard request.head.method == .get || request.head.method == .head,
      let known = request.head.fields[.ifNoneMatch], request.head.fields[.ifModifiedSince] == nil
    else { return false }
    return known.elementsEqual(tag)
  }

  static func quoted(_ text: [UInt8]) -> [UInt8] {
    var quoted: [UInt8] = []
    quoted.reserveCapacity(text.count + 2)
    quoted.append(UInt8(ascii: "\""))
    quoted += text
    quoted.append(UInt8(ascii: "\""))
    return quoted
  }

  /// The USER of the contract.
  func userJSON(_ user: User, token: IssuedToken?) -> [UInt8] {
    JSONWriter.object { json in
      json.member("first_name", user.firstName)
      json.member("last_name", user.lastName)
      json.member("email", user.email)
      json.member("api_authtoken", token?.letters)
      if let token {
        json.member("authtoken_expiry", time: token.token.expiresAt)
      } else {
        json.key("authtoken_expiry")
        json.null()
      }
    }
  }

  /// What stands before a photo's id in its address, as a part of a JSON string.
  package func photoURLPrefix(_ request: Request) -> JSONFragment {
    if let publicURL = settings.publicURL {
      return JSONFragment(escaping: Array(publicURL.utf8)[...], then: "/photos/")
    }
    // Only HTTP/1.0 has requests without Host.
    guard let host = request.head.host else { return JSONFragment("http://localhost/photos/", escaping: [], then: "") }
    return JSONFragment("http://", escaping: host, then: "/photos/")
  }

  /// Makes a token for a user; it is not kept yet.
  func makeToken(for userID: Int64) -> IssuedToken {
    let letters = random.letters(Token.length)
    let now = clock()
    return IssuedToken(
      letters: letters,
      token: Token(
        digest: Token.digest(of: Array(letters.utf8)), userID: userID, expiresAt: tokenExpiry(now: now),
        createdAt: now))
  }

  /// When a token of this moment expires.
  package func tokenExpiry(now: Int64) -> Int64 {
    let (expiresAt, isTooLate) = now.addingReportingOverflow(settings.tokenLifetime &* 1000)
    return isTooLate ? .max : expiresAt
  }
}
