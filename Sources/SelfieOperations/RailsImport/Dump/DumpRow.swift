import CLinux
import Glibc
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
    try value(column, "is not a time such as 2014-09-01 12:34:56.789012.", postgresMilliseconds)
  }

  /// When a row was made and changed, in Unix milliseconds.
  struct Times {
    let createdAt: Int64
    let updatedAt: Int64
  }

  /// A row that has only one of the times has it for both.
  func times(now: Int64) throws(DumpProblems) -> Times {
    let (createdAt, updatedAt) = (try milliseconds("created_at"), try milliseconds("updated_at"))
    return Times(createdAt: createdAt ?? updatedAt ?? now, updatedAt: updatedAt ?? createdAt ?? now)
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

/// A timestamp as pg_dump writes it, such as `2014-09-01 12:34:56.789012`, with or without an offset from UTC, in Unix
/// milliseconds. Times that clients read are written by `Timestamp` in HTTPMessages.
///
/// Without an offset it is in UTC, as Rails writes it. Nil for anything else, including `infinity` and years BC.
/// Microseconds are dropped, as the original dropped them in its responses.
func postgresMilliseconds(_ text: [UInt8]) -> Int64? {
  // strftime writes early years with fewer digits, so the year is read apart.
  let (digits, date, rest) = (text.prefix(4), text.dropFirst(4).prefix(15), text.dropFirst(19))
  let format = "-%m-%d %H:%M:%S"
  guard digits.allSatisfy(\.isASCIIDigit), let year = Int32(String(decoding: digits, as: UTF8.self)), year > 0,
    var time = readTime(date, format: format)
  else { return nil }
  time.tm_year = year - 1900
  let seconds = Int64(timegm(&time))
  // 30 February has become 2 March.
  guard date.elementsEqual(writtenTime(time, format: format)) else { return nil }

  let fraction = rest.prefix { !"+-".utf8.contains($0) }
  let decimals = fraction.dropFirst()
  let isFraction = fraction.first == UInt8(ascii: ".") && 1...6 ~= decimals.count
  guard fraction.isEmpty || isFraction && decimals.allSatisfy(\.isASCIIDigit) else { return nil }
  let milliseconds = Int64((String(decoding: decimals, as: UTF8.self) + "000").prefix(3)) ?? 0

  let offset = rest[fraction.endIndex...]
  guard let sign = offset.first else { return seconds * 1000 + milliseconds }
  guard let ahead = readTime(offset.dropFirst(), format: offset.count > 3 ? "%H:%M" : "%H") else { return nil }
  let minutes = Int64(ahead.tm_hour * 60 + ahead.tm_min)
  return (seconds - (sign == UInt8(ascii: "+") ? minutes : -minutes) * 60) * 1000 + milliseconds
}
