/// The value of a parameter of a statement. The columns of a row are read by `RowReader`.
package enum Value: Sendable, Equatable {
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
  package init(integerLiteral value: Int64) { self = .integer(value) }
  /// Text.
  package init(stringLiteral value: String) { self = .text(value) }
  /// NULL.
  package init(nilLiteral: ()) { self = .null }
}

extension Value {
  /// A text; NULL for nil.
  package static func text(orNull text: String?) -> Value { text.map(Value.text) ?? .null }

  /// Bytes; NULL for nil.
  package static func blob(orNull bytes: [UInt8]?) -> Value { bytes.map(Value.blob) ?? .null }

  package static func integer(orNull number: Int64?) -> Value { number.map(Value.integer) ?? .null }

  /// Lends the bytes of a text or blob to `body`; none for the others.
  func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
    switch self {
    case .text(var text): try text.withUTF8(body)
    case .blob(let bytes): try bytes.withUnsafeBufferPointer(body)
    case .integer, .null: try body(UnsafeBufferPointer(start: nil, count: 0))
    }
  }
}
