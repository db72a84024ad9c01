import Cryptography
import HTTPMessages
import Platform
import SQLite
import SelfieAPI

extension OwnerInterface {
  /// `GET /tokens`: the tokens that have not expired, of the user `email` or of everybody.
  func listTokens(_ call: OwnerCall) async throws -> Response {
    let (limit, email) = (try call.limit(), try call.parameter("email"))
    let (now, database) = (application.clock(), try application.database.requireFile())
    return try await application.onWorker {
      try database.read { connection in
        let user = try email.map { try Self.user($0, on: connection) }
        let tokens =
          try user.map { try TokenStore.newest(of: $0.id, max: limit, now: now, on: connection) }
          ?? TokenStore.living(max: limit, now: now, on: connection)
        var emails = user.map { [$0.id: $0.email] } ?? [:]
        for id in Set(tokens.map(\.userID)) where emails[id] == nil {
          emails[id] = try UserStore.find(id: id, on: connection)?.email
        }
        var json = JSONWriter(capacity: 4096)
        json.array { json in
          for token in tokens { json.object { $0.members(of: token, email: emails[token.userID]) } }
        }
        let total =
          try user.map { try TokenStore.countLiving(of: $0.id, now: now, on: connection) }
          ?? TokenStore.countLiving(now: now, on: connection)
        return .owner(json.bytes, total: total)
      }
    }
  }

  /// `DELETE /tokens/ID`: ends a token.
  func revokeToken(_ call: OwnerCall) async throws -> Response {
    let noToken = APIError(.notFound, "There is no token \(call.name). selfie-server token list shows them.")
    guard call.name.utf8.count >= Self.minTokenIDDigits, let prefix = Hex.decode(Array(call.name.utf8)[...]) else {
      throw noToken
    }
    let (found, email) = try application.database.requireFile().read { connection in
      let found = try TokenStore.find(digestPrefix: prefix, on: connection)
      return (found, try found.first.flatMap { try UserStore.find(id: $0.userID, on: connection) }?.email)
    }
    guard let token = found.first else { throw noToken }
    guard found.count == 1 else { throw APIError(.conflict, "Several tokens begin with \(call.name).") }
    try await application.tokens.remove(token)
    application.securityLog.log(
      ownersCommand: "token revoke", ["token": token.shownID, "user": SecurityLog.masked(email ?? "")],
      numbers: ["user_id": token.userID])
    return .owner(JSONWriter.object { $0.members(of: token, email: email) })
  }

  /// With fewer digits, a mistyped id might be another token's.
  private static let minTokenIDDigits = 8

  static func user(_ email: String, on connection: Connection) throws -> User {
    guard let user = try UserStore.find(email: email, on: connection) else { throw noUser(email) }
    return user
  }
}

extension Token {
  /// The beginning of the digest, by which the owner names a token. Nobody can make a token of it.
  fileprivate var shownID: String { Digest.hex(Array(digest.prefix(8))) }
}

extension JSONWriter {
  fileprivate mutating func members(of token: Token, email: String?) {
    member("id", token.shownID)
    member("email", email)
    member("created_at", time: token.createdAt)
    member("authtoken_expiry", time: token.expiresAt)
  }
}
