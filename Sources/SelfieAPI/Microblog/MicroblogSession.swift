import Cryptography
import HTTPMessages
import Platform
package import SQL

/// A session of the Microblog app: a client that sends its cookie acts for the user. A row of the table
/// `microblog_sessions`. MicroblogCookie.swift has the cookie.
package struct MicroblogSession: Sendable, Equatable, RowRecord {
  /// SHA-256 of the cookie's value, which is not kept.
  package var digest: [UInt8]
  package var userID: Int64
  /// Unix milliseconds.
  package var createdAt: Int64
  package var usedAt: Int64

  package init(digest: [UInt8], userID: Int64, createdAt: Int64, usedAt: Int64) {
    self.digest = digest
    self.userID = userID
    self.createdAt = createdAt
    self.usedAt = usedAt
  }

  package init(_ row: borrowing some RowReader & ~Copyable) {
    self.init(
      digest: row["digest"], userID: row["user_id"], createdAt: row["created_at"], usedAt: row["used_at"])
  }

  /// The row as a JSON object.
  package var json: String {
    let bytes = JSONWriter.object { json in
      json.member("digest", Digest.hex(digest))
      json.member("user_id", userID)
      json.member("created_at", createdAt)
      json.member("used_at", usedAt)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  static let cookieName: StaticString = "auth_tkt"

  /// Letters of a cookie: 32 of 52 have 182 random bits.
  package static let cookieLength = 32

  /// The cookies that are looked up for a request: as many as browsers keep for a domain at least (RFC 6265 §6.1).
  static let maxCookies = 50

  package static func digest(of letters: [UInt8]) -> [UInt8] {
    Digest.sha256(letters)
  }
}
