/// What a `?` of a statement stands for.
public enum Value: Sendable, Equatable {
  /// A signed 64-bit integer.
  case integer(Int64)
  /// Text in UTF-8, kept whole even if it holds a NUL.
  case text(String)
  /// Bytes; none is an empty blob, not NULL.
  case blob([UInt8])
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
