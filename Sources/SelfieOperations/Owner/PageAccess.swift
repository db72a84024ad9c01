import HTTPMessages
import Platform
import SelfieAPI

/// How a browser may reach the owner's page, and the form of the page's cookie. Who has a session is known to
/// `OwnerSessions`.
package struct PageAccess: Sendable {
  let scheme: String
  private let cookieName: StaticString

  /// A name with `__Host-` is safe from other hosts of the same domain (RFC 6265bis §4.1.3.2), but is for HTTPS only.
  private static let https = PageAccess(scheme: "https://", cookieName: "__Host-selfie-owner")
  /// Plain HTTP that the owner's browser sends to its own machine.
  private static let local = PageAccess(scheme: "http://", cookieName: "selfie-owner")
  /// Bytes; twice as many as a secret has.
  private static let maxCookieValue = 128

  /// The value of Set-Cookie.
  ///
  /// - Parameter path: where browsers send it; everywhere by HTTPS, as the name requires.
  func cookie(_ value: String, path: String, maxAge: Int64) -> String {
    let attributes = scheme == "https://" ? "Path=/; Secure" : "Path=\(path)"
    return "\(cookieName)=\(value); \(attributes); HttpOnly; SameSite=Strict; Max-Age=\(maxAge)"
  }

  /// The value of the cookie that a request has; nil for none.
  func cookie(of request: Request) -> String? {
    request.head.fields.all(.cookie).flatMap { $0.cookies(named: cookieName) }
      .first { $0.count <= Self.maxCookieValue }.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Whether a browser can open the page at this address.
  package static func canOpen(at address: String) -> Bool {
    let parts = address.split(separator: "://", maxSplits: 1)
    guard parts.count == 2 else { return false }
    return parts[0] == "https" || parts[0] == "http" && String(parts[1].prefix { $0 != "/" }).isLoopbackHost
  }

  /// - Throws: 403 where the page's secrets could be read on the network.
  ///
  /// `Host` is what the owner's own browser says, which keeps its secrets on its machine if it is `localhost`. A client
  /// that lies has no secret to lose. A page of another site whose name resolves to 127.0.0.1 (DNS rebinding) names
  /// another host, and has no certificate for HTTPS.
  static func of(_ request: Request, _ settings: APISettings) throws(APIError) -> PageAccess {
    if settings.usesTLS { return https }
    // Each proxy of a chain may add the scheme of its own client. The first one's is the browser.
    let schemes = request.head.fields.all(.xForwardedProto).flatMap { $0.split(separator: UInt8(ascii: ",")) }
    let isHTTPS = schemes.map { $0.trimmed.equalsIgnoringCase("https") }
    if isHTTPS.first == true, settings.trustedProxies.contains(peerOf: request),
      isHTTPS.allSatisfy(\.self) || settings.trustedProxies.containAllHops(of: request)
    {
      return https
    }
    if request.isToLocalhost { return local }
    throw APIError(
      .forbidden,
      """
      The owner's page takes HTTPS only or, on the server's own machine, http://localhost. If proxies speak HTTPS for \
      the server, name all in TRUSTED_PROXIES, and make the first one send X-Forwarded-Proto: https.
      """)
  }

  /// - Throws: 403 unless the owner's page sent the request, which it says twice: by its origin, and by a field that a
  ///   page of another origin may not send without asking. Where a browser names the kind of site, that counts, too.
  func checkOrigin(of request: Request, _ settings: APISettings) throws(APIError) {
    let fields = request.head.fields
    let origins = fields.all(.origin)
    let isSameSite = fields.all(.secFetchSite).allSatisfy { $0.elementsEqual("same-origin".utf8) }
    guard origins.count == 1, let origin = origins.first?.asciiText, isOwn(origin, of: request, settings), isSameSite,
      fields[.ownerPage] != nil
    else { throw APIError(.forbidden, "Only the owner's page itself may send this request.") }
  }

  private func isOwn(_ origin: String, of request: Request, _ settings: APISettings) -> Bool {
    if let host = request.head.host, origin == scheme + String(decoding: host, as: UTF8.self) { return true }
    // A proxy may ask for another host than the browser did.
    guard scheme == "https://", let url = settings.publicURL, url.hasPrefix("https://") else { return false }
    return origin.isOrigin(of: url)
  }
}

extension FieldName {
  /// Sent by the owner's page with each request but those for its files.
  fileprivate static let ownerPage = FieldName("x-owner-page")
}
