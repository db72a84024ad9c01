import HTTPMessages

extension Application {
  /// `GET /api/clear_token`: ends the token that the request came with; others of the user live on.
  func clearToken(_ call: Call) async throws -> Response {
    let token = try authentication.requireToken(call.request)
    _ = try await parameters(of: call)
    guard token.expiresAt > clock() else {
      throw APIError(.unauthorized, "You don't have permission to do this task", reason: "expired_token")
    }
    // Of two requests at once that end the same token, one may come too late: it has ended all the same.
    _ = try await tokens.remove(digest: token.digest)
    return success(Self.message(status: 200, "Token cleared"), for: call.request, isConditional: false)
  }
}
