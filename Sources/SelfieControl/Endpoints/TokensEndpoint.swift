import HTTPMessages
import SelfieAPI

extension World {
  /// `POST /__admin/tokens/expire` and `POST /__admin/tokens/revoke`: the tokens of a user, or without `email`
  /// everybody's, expire at this moment or are not known any more.
  func tokens(_ call: ControlCall) async throws -> Response {
    guard call.path.count == 2, ["expire", "revoke"].contains(call.path[1]) else { throw ControlError.notFound }
    guard call.method == .post else { throw ControlError.methodNotAllowed("POST") }
    let body = try await call.body()
    try body.allow("email")
    let email = try body.text("email")
    // A test whose variable is null does not mean everybody.
    guard email != nil || body.isEmpty else {
      throw body.wrong("email", "must be a string; without it, everybody's tokens are meant")
    }
    if call.path[1] == "expire" {
      let count = try await state.expireTokens(email: email)
      return .json { $0.member("expired", count) }
    }
    let count = try await state.revokeTokens(email: email)
    return .json { $0.member("revoked", count) }
  }
}
