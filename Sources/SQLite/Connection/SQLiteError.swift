import CSQLite
import Glibc

/// An error that SQLite returned. A database that was closed or moved is a `DatabaseError`.
package struct SQLiteError: Error, Sendable, CustomStringConvertible {
  /// The extended result code (sqlite.org/rescode.html).
  package let code: Int32
  /// SQLite's words, in English, for the log.
  package let message: String
  /// The errno of the system call that failed; 0 if none did.
  package let systemNumber: Int32

  /// - Parameter message: nil for SQLite's words for the code.
  init(code: Int32, message: String? = nil, systemNumber: Int32 = 0) {
    self.code = code
    self.message = message ?? sqlite3_errstr(code).map { String(cString: $0) } ?? "unknown error"
    self.systemNumber = systemNumber
  }

  /// The error of `database`'s last call, which returned `code`.
  init(code: Int32, of database: OpaquePointer?) {
    // First of all, before another call changes it. sqlite3_system_errno() does not have the errno of a failed COMMIT.
    let systemNumber = errno
    // Without a connection (out of memory) errmsg gives no message of this call.
    let message = database.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) }
    // Which file it is that is too large is known here only.
    let path = systemNumber == EFBIG ? database.flatMap { sqlite3_db_filename($0, "main") } : nil
    let place = path.map { "\(String(cString: $0)): " } ?? ""
    self.init(
      code: code, message: message.map { place + $0 }, systemNumber: Self.isOfSystem(code) ? systemNumber : 0)
  }

  /// An error of a call that leaves no message, such as a step of a copy.
  ///
  /// - Parameters:
  ///   - path: of the file.
  ///   - systemNumber: errno right after the call.
  init(code: Int32, at path: String, systemNumber: Int32) {
    let words = sqlite3_errstr(code).map { String(cString: $0) } ?? "unknown error"
    self.init(
      code: code, message: "\(path): \(words)", systemNumber: Self.isOfSystem(code) ? systemNumber : 0)
  }

  private static func isOfSystem(_ code: Int32) -> Bool {
    [SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN].contains(code & 0xFF)
  }

  static func misuse(_ message: String) -> SQLiteError {
    SQLiteError(code: SQLITE_MISUSE, message: message)
  }

  /// The basic result code that the extended one belongs to.
  package var primaryCode: Int32 { code & 0xFF }

  /// The file system or the user's quota of it is full, or the database or the file has reached its maximum size.
  /// SQLite itself reports only ENOSPC of a write as a full disk.
  package var isDiskFull: Bool {
    primaryCode == SQLITE_FULL || primaryCode == SQLITE_IOERR && [ENOSPC, EDQUOT, EFBIG].contains(systemNumber)
  }

  /// The file cannot be read or written, because of the disk or of permissions.
  package var isStorageFailure: Bool {
    [SQLITE_IOERR, SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_CORRUPT, SQLITE_NOTADB].contains(primaryCode)
  }

  /// The file, or its file system, may only be read.
  package var isReadOnly: Bool { primaryCode == SQLITE_READONLY }

  /// The file is damaged, or not a database.
  package var isDamage: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }

  /// What an owner can do about a damaged database.
  package static let damageRemedy =
    "Stop the server, and restore a backup. Without one, save what can be read: selfie-server doctor --salvage FOLDER"

  /// The description, and the next step if the file is damaged.
  package var inWords: String { isDamage ? "\(self). \(Self.damageRemedy)" : "\(self)" }

  /// A sync failed. The data may not be on the disk, and a later sync that succeeds does not mean that it is.
  var isFailedSync: Bool { code == Self.ioSync }

  /// The write may be in the log nonetheless, and so appear at the next start, because only its last step failed: the
  /// sync, or something after it. After every other error nothing of the write is left.
  package var mayBeCommitted: Bool {
    primaryCode == SQLITE_NOMEM || primaryCode == SQLITE_IOERR && code != Self.ioWrite
  }

  /// Another connection held a lock for longer than the busy timeout.
  package var isBusy: Bool { primaryCode == SQLITE_BUSY }

  /// The message, and the extended code.
  package var description: String {
    let cause = systemNumber == 0 ? "" : " (\(String(cString: strerror(systemNumber))))"
    return "SQLite error \(code): \(message)\(cause)\(remedy)"
  }

  /// The remedy for errors whose own words name none.
  private var remedy: String {
    if systemNumber == EFBIG { return ". Raise the limit of the size of files: ulimit -f unlimited" }
    // To open, enlarge, lock or map the log's index, which processes share.
    guard primaryCode == SQLITE_IOERR, 18...21 ~= code >> 8, !isDiskFull else { return "" }
    return ". Its file system cannot share memory between processes (mmap), which the database needs. Use a local disk"
  }

  // Swift does not import these macros.
  private static let ioWrite = SQLITE_IOERR | 3 << 8
  private static let ioSync = SQLITE_IOERR | 4 << 8
}
