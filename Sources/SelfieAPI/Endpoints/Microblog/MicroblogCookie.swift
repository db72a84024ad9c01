import HTTPMessages
import Logging

// The cookie of the Microblog app's sessions (RFC 6265). MicroblogAccounts.swift begins and ends the sessions.
extension Application {
  /// The session of a request, whose use is written down now and then.
  ///
  /// - Throws: 403 without a session that lives, after which the app shows its login.
  func requireMicroblogSession(_ request: Request) async throws -> MicroblogSession {
    let now = clock()
    guard let session = try await microblogSession(of: request) else { throw Self.microblogSessionMissing }
    request.context?.note { $0.userID = session.userID }
    if now &- session.usedAt >= microblogSessions.useInterval {
      do {
        try await microblogSessions.touch(digest: session.digest, now: now)
      } catch {
        // Reading goes on where nothing can be written, as on a full disk. The next use is recorded instead.
        logger.warning(
          "the use of a session was not recorded", metadata: ["error": "\(StorageFailure(error).detail)"])
      }
    }
    return session
  }

  /// The first live session among the cookies of a request. Another server of this host or domain may have set cookies
  /// with the same name, which must not hide the right one.
  func microblogSession(of request: Request) async throws -> MicroblogSession? {
    for value in request.sessionCookies {
      let digest = MicroblogSession.digest(of: Array(value))
      if let session = try await microblogSessions.find(digest: digest, now: clock()) { return session }
    }
    return nil
  }

  /// - Throws: 403 if a page of another site makes a browser send the request, with the user's cookie.
  func requireOwnPage(_ request: Request) throws {
    guard request.isFromForeignPage(of: settings.publicURL) else { return }
    throw APIError(
      .forbidden,
      "A page of another site has sent this request. If it was your own page, the proxy must pass on the Host field with "
        + "its port: proxy_set_header Host $http_host.",
      reason: .foreignPage)
  }

  static let microblogSessionMissing = APIError(
    .forbidden, "Log in first: this needs the session cookie of /users/login.", reason: .missingSession)

  /// The value of `Set-Cookie` for a session. Without `Expires` and `Max-Age` it ends with the client's own session.
  func sessionCookie(_ value: String) -> String {
    let isSecure = settings.usesTLS || settings.publicURL?.hasPrefix("https:") == true
    return "\(MicroblogSession.cookieName)=\(value); Path=/; HttpOnly; SameSite=Lax\(isSecure ? "; Secure" : "")"
  }
}

extension Request {
  /// The values of cookies that may be a session's.
  package var sessionCookies: ArraySlice<ArraySlice<UInt8>> {
    let values = head.fields.all(.cookie).flatMap { $0.cookies(named: MicroblogSession.cookieName) }
    return values.filter { $0.count == MicroblogSession.cookieLength }.prefix(MicroblogSession.maxCookies)
  }
}
