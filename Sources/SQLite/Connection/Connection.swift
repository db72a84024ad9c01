import CSQLite
import Glibc
import Platform
public import SQL

/// One connection to a database file, for one thread at a time. `Database` shares connections among threads.
///
/// A statement is prepared at its first use and kept. Its SQL is a `StaticString`, so there are only as many as the
/// program's source has.
@usableFromInline
package final class Connection {
  package enum Mode: Sendable {
    /// Creates the file if there is none. A commit is durable when it returns: it is in a write-ahead log and synced.
    case readWrite
    /// Like `readWrite`, but nothing is synced, so commits may be lost in a power failure.
    case readWriteUnsynced
    /// Changes nothing, and never checkpoints. The file must exist.
    case readOnly
    /// Like `readOnly`, for a whole file that no process changes meanwhile: needs neither locks nor files beside it.
    case immutable
    /// For a file that no other process opens, on any file system: takes no locks, and keeps its journal in memory.
    case exclusive
    /// For a new database that is in memory only, whatever the path.
    case inMemory
  }

  /// How long to wait for another connection's lock. With a single writer that hardly ever happens.
  package static let busyTimeoutMilliseconds: Int32 = 5000
  /// The limit of a text, blob, row or statement. Photos are files, so even a megabyte is a lot for a row.
  package static let maxValueBytes: Int32 = 16 << 20

  /// Turns off SQLite's statistics of its memory, which take a lock that all threads share. This must be done before
  /// the first use of the library.
  private static let isConfigured = csqlite_disable_memory_statistics() == SQLITE_OK

  private var handle: OpaquePointer?
  /// Pages in the log after the last commit of this connection, once it has ``takeOverCheckpoints()``.
  var logFrames: Int32 = 0
  /// By the address of the SQL in memory, so that finding a statement takes no comparison of texts.
  private var statements: [UnsafePointer<UInt8>: Statement] = [:]

  /// Opens the database at `path`, a name in the file system.
  package init(path: String, mode: Mode) throws(SQLiteError) {
    guard !path.hasNUL else { throw .misuse("a path cannot hold a NUL") }
    _ = Self.isConfigured
    guard sqlite3_threadsafe() != 0 else { throw .misuse("this libsqlite3 was built for a single thread") }
    // On a file system that may only be read, the log that even a reader needs could not be made.
    let isImmutable =
      mode == .immutable
      || mode == .readOnly && access(path, W_OK) != 0 && errno == EROFS && access(path + "-wal", F_OK) != 0
    let access =
      switch mode {
      case .readWrite, .readWriteUnsynced: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .readOnly, .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      case .exclusive: SQLITE_OPEN_READWRITE
      case .inMemory: SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY
      }
    do throws(SQLiteError) {
      let code = sqlite3_open_v2(
        isImmutable ? Self.immutable(path) : path, &handle, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
        mode == .exclusive ? Self.withoutLocks : nil)
      guard code == SQLITE_OK else { throw SQLiteError(code: code, of: handle) }
      sqlite3_busy_timeout(handle, Self.busyTimeoutMilliseconds)
      sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Self.maxValueBytes)
      try configure(mode)
    } catch {
      throw SQLiteError(code: error.code, message: "\(path): \(error.message)", systemNumber: error.systemNumber)
    }
  }

  deinit {
    close()
  }

  /// The name of SQLite's VFS for files that no other connection has open.
  static let withoutLocks = "unix-none"

  /// The file as a URI (sqlite.org/uri.html).
  private static func immutable(_ path: String) -> String {
    let escaped = path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
    return "file:\(path.hasPrefix("/") ? "//" : "")\(escaped)?immutable=1"
  }

  private func configure(_ mode: Mode) throws(SQLiteError) {
    // SQL in the file's schema may do no more than a query's own text.
    try execute("PRAGMA trusted_schema = OFF")
    switch mode {
    case .readWrite, .readWriteUnsynced:
      try execute("PRAGMA synchronous = \(mode == .readWrite ? "FULL" : "OFF"); PRAGMA foreign_keys = ON")
      let journalMode = try rows("PRAGMA journal_mode = WAL").first?.text(0)
      guard journalMode == "wal" else {
        throw .misuse("no write-ahead log is possible here (journal_mode \(journalMode ?? "unknown"))")
      }
    case .readOnly, .immutable:
      try refuseChanges()
    case .exclusive:
      // In this order: a log could only be opened with locks.
      try execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA foreign_keys = ON; PRAGMA journal_mode = MEMORY")
    case .inMemory: break
    }
  }

  /// Closes the file. Every use after that throws. The last connection of a database checkpoints its log.
  package func close() {
    statements = [:]
    // v2 waits until a statement that is still running ends.
    sqlite3_close_v2(handle)
    handle = nil
  }

  /// Whether a transaction is open. SQLite ends one by itself after some errors (sqlite.org/c3ref/get_autocommit.html).
  package var isInTransaction: Bool { handle.map { sqlite3_get_autocommit($0) == 0 } ?? false }

  /// Refuses changes from now on.
  package func refuseChanges() throws(SQLiteError) { try execute("PRAGMA query_only = ON") }

  /// Runs the statements of `sql`, which take no values; rows are passed over.
  package func execute(_ sql: String) throws(SQLiteError) {
    guard !sql.hasNUL else { throw .misuse("SQL cannot hold a NUL") }
    try check(sqlite3_exec(open(), sql, nil, nil, nil))
  }

  /// Runs `body` in a transaction, committed when it returns and rolled back when it throws. Not for
  /// ``Database/write(_:)``, which has one open already.
  @discardableResult
  package func transaction<T>(_ body: () throws -> T) throws -> T {
    try run(body, after: "BEGIN IMMEDIATE")
  }

  /// Runs `body`, which must only read, and shows it the database as of one instant. That also saves time from the
  /// second statement on, because outside of a transaction each statement takes and releases the file's locks.
  package func snapshot<T>(_ body: () throws -> T) throws -> T {
    try run(body, after: "BEGIN")
  }

  private func run<T>(_ body: () throws -> T, after beginning: Query) throws -> T {
    try run(beginning)
    do {
      let result = try body()
      try run("COMMIT")
      return result
    } catch {
      rollBack()
      throw error
    }
  }

  /// Rolls back the transaction, if one is open.
  func rollBack() {
    // It fails only if SQLite has rolled back by itself, or if the file cannot be written: then the next BEGIN fails.
    if isInTransaction { _ = try? run("ROLLBACK") }
  }

  /// Like ``execute(_:)``, but refuses statements that would begin, end or escape the current transaction.
  func executeInsideTransaction(_ sql: String) throws(SQLiteError) {
    let database = try open()
    sqlite3_set_authorizer(
      database,
      { _, action, _, _, _, _ in
        let refused = [SQLITE_TRANSACTION, SQLITE_SAVEPOINT, SQLITE_ATTACH, SQLITE_DETACH]
        return refused.contains(action) ? SQLITE_DENY : SQLITE_OK
      }, nil)
    defer { sqlite3_set_authorizer(database, nil, nil) }
    try execute(sql)
  }

  func open() throws(SQLiteError) -> OpaquePointer {
    guard let handle else { throw .misuse("the connection is closed") }
    return handle
  }

  /// How many bytes `file`'s methods read or write at once: a page of the largest size. They take less than 128 KiB
  /// (os_unix.c).
  static let chunkBytes = 1 << 16

  /// SQLite's own file of the database or of its log; nil if there is none. It is valid until the connection is closed.
  ///
  /// - Parameter operation: `SQLITE_FCNTL_FILE_POINTER` or `SQLITE_FCNTL_JOURNAL_POINTER`.
  func file(
    _ operation: Int32
  ) throws(SQLiteError) -> (file: UnsafeMutablePointer<sqlite3_file>, methods: sqlite3_io_methods)? {
    var pointer: UnsafeMutablePointer<sqlite3_file>?
    let code = try sqlite3_file_control(open(), "main", operation, &pointer)
    guard code == SQLITE_OK else { throw SQLiteError(code: code) }
    guard let pointer, let methods = pointer.pointee.pMethods?.pointee else { return nil }
    return (pointer, methods)
  }

  /// - Parameter code: the result of the last call on this connection.
  func check(_ code: Int32) throws(SQLiteError) {
    guard code == SQLITE_OK else { throw SQLiteError(code: code, of: handle) }
  }

  private func statement(_ sql: StaticString) throws(SQLiteError) -> Statement {
    if let known = statements[sql.utf8Start] { return known }
    let statement = try Statement(sql.description, on: open())
    statements[sql.utf8Start] = statement
    return statement
  }
}

extension Connection: Transaction {
  /// Runs a statement; rows are passed over.
  ///
  /// - Returns: how many rows it has inserted, updated or deleted.
  @discardableResult
  package func run(_ query: Query) throws(SQLiteError) -> Int64 {
    try statement(query.sql).run(query.values)
    return sqlite3_changes64(handle)
  }

  /// Calls `row` for each row until it returns false. To run a statement again inside its own rows throws
  /// `SQLITE_MISUSE`.
  @usableFromInline package func forEach(_ query: Query, while row: (borrowing Row) throws -> Bool) throws {
    try statement(query.sql).run(query.values, row: row)
  }

  /// The results of `row` for each row.
  @inlinable
  package func query<T>(_ query: Query, row: (borrowing Row) throws -> T) throws -> [T] {
    var results: [T] = []
    try forEach(query) {
      results.append(try row($0))
      return true
    }
    return results
  }

  /// The result of `row` for the first row; nil if there is none.
  @inlinable
  package func first<T>(_ query: Query, row: (borrowing Row) throws -> T) throws -> T? {
    var result: T?
    try forEach(query) {
      result = try row($0)
      return false
    }
    return result
  }

  /// All rows of a statement, which runs to its end. Not for long lists.
  package func rows(_ query: Query) throws(SQLiteError) -> Rows {
    try statement(query.sql).rows(query.values)
  }
}
