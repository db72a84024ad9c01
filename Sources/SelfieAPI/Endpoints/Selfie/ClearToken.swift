import HTTPMessages

// The request and the response of clear_token. `TokenStore` removes the token.
extension Application {
  /// `GET /api/clear_token`: ends the token of the request and its family. The user's other devices stay signed in.
  func clearToken(_ call: Call, _ token: Token) async throws -> Response {
    // Rails parsed the parameters first: a malformed body is a 400 even though nothing in it is used.
    _ = try await call.parameters()
    guard token.isLive(at: clock()) else {
      // With Bearer, the client refreshes the token and comes again.
      if !call.request.isBearer { try await tokens.forbidRefresh(of: token) }
      throw APIError(.unauthorized, "You don't have permission to do this task", reason: .expiredToken)
    }
    try await tokens.remove(token)
    securityLog.log(.signedOut, by: call, on: .user(token.userID))
    return .success(StatusMessage.json(200, "Token cleared"), for: call.request, isConditional: false)
  }

  /// The token of the request. One that has ended for all but a refresh ends for that too, although its client gets
  /// what Rails told it: the user wants to be signed out.
  func requireTokenToClear(_ request: Request) async throws -> Token {
    do {
      return try await requireToken(request)
    } catch let error as APIError {
      // No other error: a client that is told that the storage fails was promised that nothing has happened.
      if !request.isBearer, let retired = try await refreshable(request) {
        try await tokens.remove(retired)
      }
      throw error
    }
  }
}
