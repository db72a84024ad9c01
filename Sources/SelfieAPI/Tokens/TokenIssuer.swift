import Cryptography

/// Makes tokens. `TokenStore` stores them.
package struct TokenIssuer: Sendable {
  let random: RandomSource
  /// Unix milliseconds.
  let clock: @Sendable () -> Int64
  /// In seconds.
  let lifetime: Int64

  /// Makes a token, which is not stored yet.
  ///
  /// - Parameter family: of the token that it replaces; nil for the first one of its own.
  func issue(for userID: Int64, family: [UInt8]? = nil) -> IssuedToken {
    let (now, letters) = (clock(), random.letters(Token.length) + Digest.hex(family ?? []))
    let token = Token(
      digest: Token.digest(of: Array(letters.utf8)), userID: userID, expiresAt: expiry(from: now), createdAt: now,
      family: family)
    return IssuedToken(letters: letters, token: token)
  }

  /// When a token expires that is made now.
  package func expiry(from now: Int64) -> Int64 {
    let (expiresAt, isTooLate) = now.addingReportingOverflow(lifetime &* 1000)
    return isTooLate ? .max : expiresAt
  }
}

/// A token that was just made. Only now are its letters known: the server keeps their digest.
struct IssuedToken: Sendable {
  let letters: String
  let token: Token
}
