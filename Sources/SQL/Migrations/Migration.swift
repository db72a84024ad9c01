import Cryptography

/// One step of the schema: a file `NNNN_name.sql`, never edited once it has run anywhere. `Migrations` has all steps in
/// order.
package struct Migration: Sendable {
  /// The file's name without `.sql`.
  package let name: String
  /// Runs in one transaction.
  package let sql: String
  /// The digest of the file, in hexadecimal.
  package let sha256: String

  /// - Parameter sql: what the file holds, to the byte.
  package init(name: String, sql: String) {
    self.name = name
    self.sql = sql
    sha256 = Digest.hex(Digest.sha256(Array(sql.utf8)))
  }

  package var fileName: String { name + ".sql" }
}
