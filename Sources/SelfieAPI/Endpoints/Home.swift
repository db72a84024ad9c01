import HTTPMessages

extension Application {
  /// `GET /`: a page for people who open the server's address in a browser.
  func home(_ call: Call) throws -> Response {
    // A client that asks for JSON only is a program: it gets the 404 of a wrong address.
    if let accept = call.request.head.fields[.accept], accept.containsIgnoringCase("json"),
      !accept.containsIgnoringCase("html")
    {
      throw APIError.notFound
    }
    var fields = ResponseFields(
      lines: """
        Content-Type: text/html; charset=utf-8\r
        Cache-Control: max-age=0, private, must-revalidate\r
        Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'\r\n
        """)
    fields.append("ETag", Self.homeETag.bytes)
    if Self.homeETag.isNamed(by: call.request) { return Response(status: .notModified, fields: fields) }
    return Response(status: .ok, fields: fields, body: .bytes(Self.homePage))
  }

  private static let homeETag = ETag(of: homePage)

  private static let homePage = Array(
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>selfie-server</title>
    <style>body { font: 1.1em/1.5 system-ui, sans-serif; max-width: 36em; margin: 3em auto; padding: 0 1em }</style>
    </head>
    <body>
    <h1>Glad to find you here!</h1>
    <p>This is a selfie-server: accounts and photos for an iOS app.
    The app's <code>BASE_URL</code> is this address with <code>/api</code> at its end.</p>
    </body>
    </html>

    """.utf8)
}
