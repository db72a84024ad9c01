import Cryptography
import Platform
package import SQL

/// A row of the table `tokens`. Anyone who holds the token's letters may act for the user as long as it is live.
/// `TokenStore` has the queries, and `RefreshPolicy` says which tokens can be refreshed.
package struct Token: Sendable, Equatable, RowRecord {
  /// SHA-256 of the letters, which are not kept.
  package var digest: [UInt8]
  package var userID: Int64
  /// Unix milliseconds.
  package var expiresAt: Int64
  package var createdAt: Int64
  /// The digest of the token that the device got when it signed in. All tokens that came from that by refreshing have the
  /// same family. Empty if the token can no longer be refreshed.
  package var family: [UInt8]
  /// When it was refreshed for the first time, in Unix milliseconds.
  package var refreshedAt: Int64?
  package var state: State

  /// The raw values are in the database.
  package enum State: Int64, Sendable {
    case live = 0
    /// Only refresh_token still knows the token, for as long as it can be refreshed, or to notice that it was stolen.
    case retired = 1
  }

  /// - Parameter family: nil: the token is the first of its own.
  package init(
    digest: [UInt8], userID: Int64, expiresAt: Int64, createdAt: Int64, family: [UInt8]? = nil,
    refreshedAt: Int64? = nil, state: State = .live
  ) {
    self.digest = digest
    self.userID = userID
    self.expiresAt = expiresAt
    self.createdAt = createdAt
    self.family = family ?? digest
    self.refreshedAt = refreshedAt
    self.state = state
  }

  package init(_ row: borrowing some RowReader & ~Copyable) {
    self.init(
      digest: row["digest"], userID: row["user_id"], expiresAt: row["expires_at"], createdAt: row["created_at"],
      family: row["family"] as [UInt8], refreshedAt: row["refreshed_at"],
      state: State(rawValue: row["state"]) ?? .retired)
  }

  /// Whether requests with the token are answered. One that was refreshed is live for up to a minute more.
  package func isLive(at now: Int64) -> Bool { state == .live && expiresAt > now }

  /// When it expired; if it was made with an earlier expiry, when it was made.
  var end: Int64 { max(expiresAt, createdAt) }

  /// Random letters of a token: 24 of 52 have 136 bits. After a refresh, the family follows in hexadecimal digits.
  package static let length = 24

  /// Whether these may be all letters of a token that this server has made.
  static func isOfUsualLength(_ letters: some Collection<UInt8>) -> Bool {
    [length, length + 2 * SHA256.byteCount].contains(letters.count)
  }

  /// The family that a token names; nil if it was not made by a refresh.
  static func family(namedIn letters: [UInt8]) -> [UInt8]? {
    let family = Hex.decode(letters.dropFirst(length))
    return family?.count == SHA256.byteCount ? family : nil
  }

  package static func digest(of letters: [UInt8]) -> [UInt8] {
    Digest.sha256(letters)
  }
}
