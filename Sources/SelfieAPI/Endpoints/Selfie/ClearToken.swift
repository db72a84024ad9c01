import HTTPMessages

extension Application {
  /// `GET /api/clear_token`: ends the token of the request. The user's other tokens live on.
  func clearToken(_ call: Call) async throws -> Response {
    let token = try authentication.requireToken(call.request)
    // Rails parsed the parameters first: a malformed body is a 400 even though nothing in it is used.
    _ = try await call.parameters()
    guard token.expiresAt > clock() else {
      throw APIError(.unauthorized, "You don't have permission to do this task", reason: "expired_token")
    }
    // False if a request at the same time was faster: the token has ended all the same.
    _ = try await tokens.remove(digest: token.digest)
    return success(StatusMessage.json(200, "Token cleared"), for: call.request, isConditional: false)
  }
}
