import Glibc
import TestSupport
import Testing

@testable import SQLite

@Suite struct SQLiteErrorTests {
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

  @Test(
    arguments: [
      (13, 0, true, false), (10, ENOSPC, true, true), (778, EDQUOT, true, true), (1034, EFBIG, true, true),
      (1034, EIO, false, true), (10, 0, false, true), (8, 0, false, true), (14, ENOSPC, false, true),
      (11, 0, false, true), (26, 0, false, true), (5, 0, false, false), (19, ENOSPC, false, false),
    ] as [(Int32, Int32, Bool, Bool)])
  func `a full disk and a failing one are told apart, and from what a query does wrong`(
    _ code: Int32, _ systemNumber: Int32, _ isDiskFull: Bool, _ isStorageFailure: Bool
  ) {
    let error = SQLiteError(code: code, message: "", systemNumber: systemNumber)
    #expect(error.isDiskFull == isDiskFull)
    #expect(error.isStorageFailure == isStorageFailure)
  }

  @Test func `the system's own error is told with SQLite's`() throws {
    let folder = try TemporaryFolder()
    let error = #expect(throws: SQLiteError.self) { try Connection(path: folder.path, mode: .readWrite) }
    #expect(error?.isStorageFailure == true)
    #expect(error?.message.hasPrefix("\(folder.path): ") == true)
    let failure = SQLiteError(code: 1034, message: "disk I/O error", systemNumber: EIO)
    #expect(failure.description == "SQLite error 1034: disk I/O error (Input/output error)")
    #expect(SQLiteError(code: 11, message: "malformed").description == "SQLite error 11: malformed")
  }

  @Test(
    arguments: [
      (5386, ENODEV, ". Its file system cannot share memory"), (4618, EPERM, ". Its file system cannot share memory"),
      (778, EFBIG, ". Raise the limit of the size of files: ulimit -f"), (4874, ENOSPC, ")"), (1034, EIO, ")"),
    ] as [(Int32, Int32, String)])
  func `a number that says nothing to an owner comes with the cause`(
    _ code: Int32, _ systemNumber: Int32, _ words: String
  ) {
    let description = SQLiteError(code: code, systemNumber: systemNumber).description
    #expect(description.contains(words) && (words != ")" || description.hasSuffix(words)), "\(description)")
  }

  @Test func `a file that is no database is damage`() throws {
    let folder = try TemporaryFolder()
    try folder.write(String(repeating: "no database ", count: 1000), to: "test.sqlite3")
    let error = #expect(throws: SQLiteError.self) { try folder.connection() }
    #expect(error?.isDamage == true)
    #expect(error?.isStorageFailure == true)
  }
}
