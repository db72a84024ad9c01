import Cryptography
import Platform
package import SQL

/// A person with an account in the Microblog app: a row of the table `microblog_users`. `MicroblogUserStore` has the
/// queries.
package struct MicroblogUser: Sendable, Equatable, RowRecord {
  /// 0 until the user has a row: the insert gives the next id.
  package var id: Int64
  package var name: String
  /// By bcrypt.
  package var passwordHash: String
  /// Unix milliseconds.
  package var createdAt: Int64

  package init(id: Int64 = 0, name: String, passwordHash: String, createdAt: Int64) {
    self.id = id
    self.name = name
    self.passwordHash = passwordHash
    self.createdAt = createdAt
  }

  package init(_ row: borrowing some RowReader & ~Copyable) {
    self.init(
      id: row["id"], name: row["name"], passwordHash: row["password_hash"], createdAt: row["created_at"])
  }

  /// Why no user can have this name; nil if one can.
  package static func problem(name: String) -> String? {
    if name.hasNUL { return "A name must not contain a NUL character." }
    if Validation.isTooLong(name) { return "A name has at most \(Validation.maxCharacters) characters." }
    return Validation.isBlank(name) ? "A name must not be blank." : nil
  }

  /// Why no user can have this password; nil if one can.
  package static func problem(password: [UInt8]) -> String? {
    (1...PasswordHash.maxBytes).contains(password.count) ? nil : "A password has 1 to \(PasswordHash.maxBytes) bytes."
  }
}
