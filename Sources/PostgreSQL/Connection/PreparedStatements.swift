import Cryptography
import SQL

/// The statements that one connection has prepared, by their SQL.
struct PreparedStatements {
  /// The address of the SQL in memory, so that finding a statement takes no comparison of texts. SQL that is too short
  /// to have an address is known by its text.
  enum Key: Hashable {
    case address(UnsafePointer<UInt8>)
    case text(String)
  }

  private var names: [Key: String] = [:]
  /// Why the last attempt to prepare a statement has failed.
  private var errors: [Key: SharedDatabaseError] = [:]
  /// How often each statement became stale.
  private var versions: [Key: Int] = [:]

  static func key(of sql: StaticString) -> Key {
    sql.hasPointerRepresentation ? .address(sql.utf8Start) : .text(sql.description)
  }

  subscript(key: Key) -> String? { names[key] }

  /// Gives a statement a name that says what its SQL is. Behind a PgBouncer several clients share the server's
  /// connections: a name that two of them give to different statements would run the wrong one.
  mutating func add(_ key: Key, _ sql: StaticString) -> String {
    let digest = Digest.hex(Digest.sha256(Array(sql.description.utf8)))
    let name = "s\(digest.prefix(24))_\(versions[key, default: 0])"
    names[key] = name
    errors[key] = nil
    return name
  }

  /// The next use prepares the statement again.
  ///
  /// - Parameter isStale: the server still has it, but it no longer fits its table.
  mutating func remove(_ key: Key, isStale: Bool = false) {
    names[key] = nil
    if isStale { versions[key, default: 0] += 1 }
  }

  /// Notes that a statement could not be prepared. What was sent behind it only hears that there is no such statement.
  mutating func fail(_ key: Key, _ error: SharedDatabaseError) {
    remove(key)
    errors[key] = error
  }

  /// Why there is no such statement; nil if it is unknown.
  func error(of key: Key) -> SharedDatabaseError? { errors[key] }
}
