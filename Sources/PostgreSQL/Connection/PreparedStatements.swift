/// The statements that one connection has prepared, by their SQL.
struct PreparedStatements {
  /// The address of the SQL in memory, so that finding a statement takes no comparison of texts. SQL that is too short
  /// to have an address is known by its text.
  enum Key: Hashable {
    case address(UnsafePointer<UInt8>)
    case text(String)
  }

  private var names: [Key: String] = [:]
  private var count = 0
  /// Why the last attempt to prepare a statement has failed.
  private var errors: [Key: PostgreSQLError] = [:]

  static func key(of sql: StaticString) -> Key {
    sql.hasPointerRepresentation ? .address(sql.utf8Start) : .text(sql.description)
  }

  subscript(key: Key) -> String? { names[key] }

  /// Gives a statement a name that was never used on this connection.
  mutating func add(_ key: Key) -> String {
    count += 1
    let name = "s\(count)"
    names[key] = name
    errors[key] = nil
    return name
  }

  /// The next use prepares the statement again.
  mutating func remove(_ key: Key) {
    names[key] = nil
  }

  /// Notes that a statement could not be prepared. What was sent behind it only hears that there is no such statement.
  mutating func fail(_ key: Key, _ error: PostgreSQLError) {
    remove(key)
    errors[key] = error
  }

  /// Why there is no such statement; nil if it is unknown.
  func error(of key: Key) -> PostgreSQLError? { errors[key] }
}
