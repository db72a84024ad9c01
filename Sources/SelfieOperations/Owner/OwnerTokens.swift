import Cryptography
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
      total: user.map { TokenStore.countLive(of: $0.id, now: now) } ?? TokenStore.countLive(now: now),
      of: Owned<Token>.self
    ) { $0.members(of: $1) }
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
    let token = owned.record
    try await application.tokens.remove(token)
    application.securityLog.log(
      ownersCommand: "token revoke", ["token": token.shownID, "user": SecurityLog.masked(owned.email ?? "")],
      numbers: ["user_id": token.userID])
    return OwnerReply("The token \(token.shownID) of \(owned.email ?? "-") ended.") { $0.members(of: owned) }
  }

  /// With fewer digits, a mistyped id might be another token's.
  private static let minTokenIDDigits = 8
}

extension Token {
  /// The beginning of the digest, by which the owner names a token. No token can be made from it.
  fileprivate var shownID: String { Digest.hex(Array(digest.prefix(8))) }
}

extension JSONWriter {
  fileprivate mutating func members(of owned: Owned<Token>) {
    member("id", owned.record.shownID)
    member("email", owned.email)
    member("created_at", time: owned.record.createdAt)
    member("authtoken_expiry", time: owned.record.expiresAt)
  }
}
