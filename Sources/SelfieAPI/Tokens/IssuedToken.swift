import Cryptography

/// A token that was just made. Only now are its letters known: the server keeps their digest.
struct IssuedToken: Sendable {
  let letters: String
  let token: Token

  init(for userID: Int64, now: Int64, lifetime: TokenLifetime, random: RandomSource) {
    letters = random.letters(Token.length)
    token = Token(
      digest: Token.digest(of: Array(letters.utf8)), userID: userID, expiresAt: lifetime.expiry(from: now),
      createdAt: now)
  }
}
