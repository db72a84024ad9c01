import Testing

@testable import SQLite

@Suite("SQLite's errors") struct SQLiteErrorTests {
  /// Result codes of sqlite.org/rescode.html.
  @Test(
    arguments: [
      (778, false), (13, false), (5, false), (8, false), (19, false), (787, false), (2067, false), (21, false),
      (10, true), (1034, true), (1290, true), (4874, true), (7, true),
    ] as [(Int32, Bool)])
  func `only an error after the last write of a commit leaves open what is on the disk`(
    _ code: Int32, _ mayBeCommitted: Bool
  ) {
    #expect(SQLiteError(code: code, message: "").mayBeCommitted == mayBeCommitted)
  }
}
