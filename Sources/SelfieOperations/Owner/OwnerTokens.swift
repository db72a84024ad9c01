import Cryptography
import HTTPMessages
import Platform
import SelfieAPI

extension OwnerInterface {
  /// `GET /tokens`: the tokens that have not expired, of the user `email` or of everybody.
  func listTokens(_ call: OwnerCall) async throws -> Response {
    let (limit, now) = (try call.limit(), application.clock())
    let user: User? = if let email = try call.parameter("email") { try await requireUser(email) } else { nil }
    return try await list(
      user.map { TokenStore.newest(of: $0.id, max: limit, now: now) } ?? TokenStore.live(max: limit, now: now),
      total: user.map { TokenStore.countLive(of: $0.id, now: now) } ?? TokenStore.countLive(now: now),
      of: OwnedToken.self
    ) { $0.members(of: $1) }
  }

  /// `DELETE /tokens/ID`: ends a token.
  func revokeToken(_ call: OwnerCall) async throws -> Response {
    let noToken = APIError(.notFound, "There is no token \(call.name). selfie-server token list shows them.")
    guard call.name.utf8.count >= Self.minTokenIDDigits, let prefix = Hex.decode(Array(call.name.utf8)[...]) else {
      throw noToken
    }
    let found = try await application.database.all(TokenStore.find(digestPrefix: prefix), as: OwnedToken.self)
    guard let owned = found.first else { throw noToken }
    guard found.count == 1 else { throw APIError(.conflict, "Several tokens begin with \(call.name).") }
    let token = owned.token
    try await application.tokens.remove(token)
    application.securityLog.log(
      ownersCommand: "token revoke", ["token": token.shownID, "user": SecurityLog.masked(owned.email ?? "")],
      numbers: ["user_id": token.userID])
    return .owner(JSONWriter.object { $0.members(of: owned) })
  }

  /// With fewer digits, a mistyped id might be another token's.
  private static let minTokenIDDigits = 8
}

extension Token {
  /// The beginning of the digest, by which the owner names a token. Nobody can make a token of it.
  fileprivate var shownID: String { Digest.hex(Array(digest.prefix(8))) }
}

extension JSONWriter {
  fileprivate mutating func members(of owned: OwnedToken) {
    member("id", owned.token.shownID)
    member("email", owned.email)
    member("created_at", time: owned.token.createdAt)
    member("authtoken_expiry", time: owned.token.expiresAt)
  }
}
