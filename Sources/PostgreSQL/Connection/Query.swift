/// A statement, with the values of its parameters `$1`, `$2` and so on.
public struct Query: Sendable {
  let sql: StaticString
  let values: [Value]

  /// - Parameter sql: one statement. Each connection prepares it at its first use and keeps it. It is static, so there
  ///   are only as many prepared statements as the program's source has.
  public init(_ sql: StaticString, _ values: Value...) {
    self.sql = sql
    self.values = values
  }

  init(_ sql: StaticString, values: [Value]) {
    self.sql = sql
    self.values = values
  }
}
