import HTTPMessages
import SelfieAPI

extension World {
  /// `POST /__admin/tokens/expire`: lets the tokens of a user expire now; without `email`, all tokens.
  func expireTokens(_ call: ControlCall) async throws -> Response {
    let count = try await state.expireTokens(email: try await Self.email(in: call))
    return .json { $0.member("expired", count) }
  }

  /// `POST /__admin/tokens/revoke`: removes the tokens of a user; without `email`, all tokens.
  func revokeTokens(_ call: ControlCall) async throws -> Response {
    let count = try await state.revokeTokens(email: try await Self.email(in: call))
    return .json { $0.member("revoked", count) }
  }

  private static func email(in call: ControlCall) async throws -> String? {
    let body = try await call.body()
    try body.allow("email")
    let email = try body.text("email")
    // A null is more likely a mistake in a test than a request for all users.
    guard email != nil || body.isEmpty else {
      throw body.wrong("email", "must be a string; without it, everybody's tokens are meant")
    }
    return email
  }
}
