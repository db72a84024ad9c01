/// A statement, with the values of its parameters `$1`, `$2` and so on. The program's queries are in its stores, such
/// as `UserStore` in SelfieAPI.
@usableFromInline
package struct Query: Sendable, ExpressibleByStringLiteral {
  /// One statement. It is static, so there are only as many prepared statements as the program's source has.
  package let sql: StaticString
  /// A value for each parameter.
  package let values: [Value]

  package init(_ sql: StaticString, _ values: Value...) {
    self.init(sql, values: values)
  }

  package init(_ sql: StaticString, values: [Value]) {
    self.sql = sql
    self.values = values
  }

  /// A statement without parameters.
  @usableFromInline package init(stringLiteral sql: StaticString) {
    self.init(sql)
  }
}
