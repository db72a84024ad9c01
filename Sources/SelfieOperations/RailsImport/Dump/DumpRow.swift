import Platform

/// A row of a table, in COPY's text format (PostgreSQL's documentation, "COPY", "Text Format"). `PostgresDump` finds
/// the rows, and RailsDump.swift makes users and photos of them.
struct DumpRow {
  let table: String
  /// The line of the dump.
  let line: Int
  /// The positions of the values, by the names of the columns.
  private let columns: [String: Int]
  /// The texts of the values; nil for NULL.
  private let values: [[UInt8]?]

  init(_ text: [UInt8], of table: String, line: Int, columns: [String: Int]) throws(DumpProblems) {
    self.table = table
    self.line = line
    self.columns = columns
    guard text.count <= PostgresDump.maxLineBytes else {
      throw DumpProblems(line: line, "This row has more than \(PostgresDump.maxLineBytes) bytes.")
    }
    let fields = text.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
    guard fields.count == columns.count else {
      throw DumpProblems(line: line, "This row has \(fields.count) values, but there are \(columns.count) columns.")
    }
    values = try fields.map { (field) throws(DumpProblems) in try Self.value(field, line: line) }
  }

  private static let escapes = Dictionary(
    uniqueKeysWithValues: zip("bfnrtv".utf8, [0x08, 0x0c, 0x0a, 0x0d, 0x09, 0x0b] as [UInt8]))

  /// The text of a value; nil for `\N`.
  private static func value(_ field: ArraySlice<UInt8>, line: Int) throws(DumpProblems) -> [UInt8]? {
    guard field.contains(UInt8(ascii: "\\")) else { return Array(field) }
    if field.elementsEqual("\\N".utf8) { return nil }
    var value: [UInt8] = []
    var rest = field
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        value.append(byte)
        continue
      }
      guard let letter = rest.popFirst() else {
        throw DumpProblems(line: line, "A value ends in the middle of an escape.")
      }
      // COPY reads the numbers of bytes in such escapes, but pg_dump does not write them.
      guard let escaped = escapes[letter] ?? (letter.isASCIIAlphanumeric ? nil : letter) else {
        throw DumpProblems(line: line, "pg_dump does not write the escape \\\(Unicode.Scalar(letter)).")
      }
      value.append(escaped)
    }
    return value
  }

  // MARK: - Values

  func require(_ names: [String]) throws(DumpProblems) {
    for name in names where columns[name] == nil {
      throw DumpProblems(line: line, "The table \(table) has no column \(name).")
    }
  }

  func id() throws(DumpProblems) -> Int64 {
    guard let id = try integer("id"), id > 0 else {
      throw DumpProblems(line: line, "The id is not a whole number above 0.")
    }
    return id
  }

  func integer(_ column: String) throws(DumpProblems) -> Int64? {
    try value(column, "is not a whole number.") { Int64(String(decoding: $0, as: UTF8.self)) }
  }

  func text(_ column: String) throws(DumpProblems) -> String? {
    try value(column, "is not a text in UTF-8.") { $0.contains(0) ? nil : String(validating: $0, as: UTF8.self) }
  }

  /// A time in Unix milliseconds.
  func milliseconds(_ column: String) throws(DumpProblems) -> Int64? {
    try value(column, "is not a time such as 2014-09-01 12:34:56.789012.", PostgresTimestamp.milliseconds)
  }

  /// - Parameter read: returns nil if the text is not such a value.
  /// - Returns: nil if the value is NULL, or there is no such column.
  private func value<Value>(
    _ column: String, _ problem: String, _ read: ([UInt8]) -> Value?
  ) throws(DumpProblems) -> Value? {
    guard let position = columns[column], position < values.count, let text = values[position] else { return nil }
    guard let value = read(text) else { throw DumpProblems(line: line, "\(column) \(problem)") }
    return value
  }
}
