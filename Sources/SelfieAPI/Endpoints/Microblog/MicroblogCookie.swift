import HTTPMessages

// The cookie of the Microblog app's sessions (RFC 6265).
extension Application {
  /// The session of a request, whose use is written down now and then.
  ///
  /// - Throws: 403 without a session that lives, after which the app shows its login.
  func requireMicroblogSession(_ request: Request) async throws -> MicroblogSession {
    let now = clock()
    guard let digest = Self.sessionDigest(of: request),
      let session = try await microblogSessions.find(digest: digest, now: now)
    else { throw Self.microblogSessionMissing }
    request.context?.note(userID: session.userID)
    if now &- session.usedAt >= microblogSessions.useInterval {
      try await microblogSessions.touch(digest: digest, now: now)
    }
    return session
  }

  static let microblogSessionMissing = APIError(
    .forbidden, "Log in first: this needs the session cookie of /users/login.", reason: "missing_session")

  /// The value of `Set-Cookie` for a session. Without `Expires` and `Max-Age` it ends with the client's own session.
  func sessionCookie(_ value: String) -> String {
    let isSecure = settings.usesTLS || settings.publicURL?.hasPrefix("https:") == true
    return "\(MicroblogSession.cookieName)=\(value); Path=/; HttpOnly; SameSite=Lax\(isSecure ? "; Secure" : "")"
  }

  /// The digest of the session cookie that a request has; nil if it has none.
  static func sessionDigest(of request: Request) -> [UInt8]? {
    let values = request.head.fields.all(.cookie).lazy.flatMap {
      Cookie.values(of: MicroblogSession.cookieName, in: $0)
    }
    // Another server of this host may have a cookie of the same name.
    let value = values.first { $0.count == MicroblogSession.cookieLength }
    return value.map { MicroblogSession.digest(of: Array($0)) }
  }
}
