import HTTPMessages
import Platform
import SelfieAPI

// The owner's commands about tokens. `TokenStore` in SelfieAPI has the queries, and `OwnerConsole` what all commands
// share.
extension OwnerConsole {
  func tokens(of email: String?, _ limit: Int64) async throws -> OwnerReply {
    let (user, now) = (try await requireUser(email), application.clock())
    return try await list(
      limit,
      user.map { TokenStore.newest(of: $0.id, max: limit, now: now) } ?? TokenStore.live(max: limit, now: now),
      total: user.map { TokenStore.countLive(of: $0.id, now: now) } ?? TokenStore.countLive(now: now), TokenView.init)
  }

  func revokeToken(_ id: String) async throws -> OwnerReply {
    let noToken = APIError(.notFound, "There is no token \(id). To see all tokens, run selfie-server token list.")
    guard id.utf8.count >= Self.minTokenIDDigits, let prefix = Hex.decode(Array(id.utf8)[...]) else {
      throw noToken
    }
    let found = try await application.database.all(TokenStore.find(digestPrefix: prefix), as: Owned<Token>.self)
    guard let owned = found.first else { throw noToken }
    guard found.count == 1 else {
      throw APIError(.conflict, "Several tokens begin with \(id). Pass more of its digits.")
    }
    let view = TokenView(owned)
    try await application.tokens.remove(owned.record)
    application.securityLog.log(
      ownersCommand: "token revoke", ["token": view.id, "user": SecurityLog.masked(owned.email ?? "")],
      numbers: ["user_id": owned.record.userID])
    return try OwnerReply("The token \(view.id) of \(owned.email ?? "-") ended.", of: view)
  }

  /// With fewer digits, a mistyped id might be another token's.
  private static let minTokenIDDigits = 8
}
