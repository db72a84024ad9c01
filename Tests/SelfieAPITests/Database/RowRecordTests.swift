import APITestSupport
import SQL
import SQLite
import Testing

@testable import SelfieAPI

@Suite struct RowRecordTests {
  private static let records: [(table: String, names: [String])] = [
    ("users", AskedNames.of(User.self)), ("tokens", AskedNames.of(Token.self)),
    ("photos", AskedNames.of(Photo.self)), ("notes", AskedNames.of(CountedNote.self)),
    ("microblog_users", AskedNames.of(MicroblogUser.self)), ("blogposts", AskedNames.of(Blogpost.self)),
    ("microblog_sessions", AskedNames.of(MicroblogSession.self)),
  ]

  @Test(arguments: RowRecordTests.records)
  func `a record reads each column of its table, and none that the table lacks`(table: String, names: [String]) throws {
    let api = try APIFixture()
    let columns = try api.database.read {
      try $0.query(Query("SELECT name FROM pragma_table_info($1)", .text(table))) { $0["name"] as String }
    }
    #expect(Set(names) == Set(columns))
  }
}

/// A row without columns that takes down which ones a record asks for.
private final class AskedNames: RowReader {
  private var names: [String] = []

  static func of<Record: RowRecord>(_: Record.Type) -> [String] {
    let row = AskedNames()
    _ = Record(row)
    return row.names
  }

  func position(of name: StaticString) -> Int32 {
    names.append(name.description)
    return -1
  }

  func isNull(_: Int32) -> Bool { true }
  func integer(_: Int32) -> Int64 { 0 }
  func blob(_: Int32) -> [UInt8] { [] }

  func withTextBytes<Result>(
    _: Int32, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result { try body(UnsafeBufferPointer(start: nil, count: 0)) }
}
