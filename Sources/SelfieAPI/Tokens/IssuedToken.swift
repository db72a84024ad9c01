import Cryptography

/// A token that was just made. Only now are its letters known: the server keeps their digest.
struct IssuedToken: Sendable {
  let letters: String
  let token: Token

  /// - Parameter family: of the token that it replaces; nil for the first one of its own.
  init(for userID: Int64, family: [UInt8]? = nil, now: Int64, expiresAt: Int64, random: RandomSource) {
    letters = random.letters(Token.length) + Digest.hex(family ?? [])
    token = Token(
      digest: Token.digest(of: Array(letters.utf8)), userID: userID, expiresAt: expiresAt, createdAt: now,
      family: family)
  }
}
