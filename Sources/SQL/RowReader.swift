/// A row of a result, from whatever database. The first column is number 0; one that does not exist reads as NULL.
///
/// It is for generic functions only, which the compiler specializes: a call through `any RowReader` for each value of
/// each row would take time.
public protocol RowReader: ~Copyable {
  /// Whether the column is NULL.
  func isNull(_ column: Int32) -> Bool

  /// The column as an integer; 0 for NULL.
  func integer(_ column: Int32) -> Int64

  /// The column as text, with U+FFFD for what is not UTF-8; nil for NULL.
  func text(_ column: Int32) -> String?

  /// The column as bytes; empty for NULL.
  func blob(_ column: Int32) -> [UInt8]

  /// Whether a text of the row has bytes that are not UTF-8, and so reads as another.
  var hasInvalidText: Bool { get }

  /// Lends the bytes of the column's text to `body`, without a copy; empty for NULL.
  @discardableResult
  func withTextBytes<Result>(
    _ column: Int32, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result
}

extension RowReader where Self: ~Copyable {
  /// A database that checks the encoding of its texts has none that are invalid.
  public var hasInvalidText: Bool { false }
}
