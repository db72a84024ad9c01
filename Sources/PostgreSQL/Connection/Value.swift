/// What a parameter of a statement, `$1` and so on, stands for.
public enum Value: Sendable, Equatable {
  /// A signed 64-bit integer.
  case integer(Int64)
  /// Text in UTF-8. PostgreSQL cannot store U+0000, so a text that holds it is refused before it is sent.
  case text(String)
  /// Bytes; none is an empty bytea, not NULL.
  case blob([UInt8])
  /// True or false.
  case boolean(Bool)
  /// NULL.
  case null
}

extension Value: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByNilLiteral {
  /// An integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// Text.
  public init(stringLiteral value: String) { self = .text(value) }
  /// NULL.
  public init(nilLiteral: ()) { self = .null }
}
