/// A statement, with the values of its parameters `$1`, `$2` and so on.
public struct Query: Sendable, ExpressibleByStringLiteral {
  /// One statement. It is static, so there are only as many prepared statements as the program's source has.
  public let sql: StaticString
  /// A value for each parameter.
  public let values: [Value]

  @inlinable
  public init(_ sql: StaticString, _ values: Value...) {
    self.init(sql, values: values)
  }

  @inlinable
  public init(_ sql: StaticString, values: [Value]) {
    self.sql = sql
    self.values = values
  }

  /// A statement without parameters.
  @inlinable
  public init(stringLiteral sql: StaticString) {
    self.init(sql)
  }
}
