import HTTPMessages

// The request and the response of refresh_token. `TokenStore` replaces the token by the rules of `RefreshPolicy`.
extension Application {
  /// `POST /api/refresh_token`: a new token for one that is about to expire or has expired.
  func refreshToken(_ call: Call, _ old: Token) async throws -> Response {
    // As with the other endpoints, a malformed body is a 400 even though nothing in it is used.
    _ = try await call.parameters()
    let issued = tokenIssuer.issue(for: old.userID, family: old.family)
    switch try await tokens.refresh(old, by: issued.token) {
    case .refreshed(let user): return .success(user.json(with: issued), for: call.request)
    case .reused:
      securityLog.log(.tokenReused, by: call, on: .user(old.userID))
      throw APIError(
        .unauthorized, "Authtoken was refreshed before. Please sign in again!", reason: .reusedToken, challenge: .token)
    case .denied: throw APIError.notRefreshable
    }
  }
}
