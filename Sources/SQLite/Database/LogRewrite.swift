import CSQLite

extension Connection {
  /// Bytes that are read and written at once: a page of the largest size. SQLite's own files take no more than 128 KB.
  private static let rewrittenAtOnce = 1 << 16

  /// Writes the log once more, byte for byte, and syncs it, so that what a start has found in it is on the disk too.
  ///
  /// A process may have ended after a sync that failed. Linux then has the transaction in its cache as if it were on the
  /// disk: a start finds it in the log, appends to it, and its own syncs succeed without it. After a power failure the
  /// log would end before it, and with it everything that was acknowledged since. What is written again is synced again.
  ///
  /// After an orderly end there is no log, and nothing to do.
  func rewriteLog() throws(SQLiteError) {
    // Nobody else writes meanwhile.
    try run("BEGIN IMMEDIATE")
    defer { rollBack() }
    var pointer: UnsafeMutablePointer<sqlite3_file>?
    try check(sqlite3_file_control(open(), "main", SQLITE_FCNTL_JOURNAL_POINTER, &pointer))
    guard let file = pointer, let methods = file.pointee.pMethods?.pointee else { return }
    var size: Int64 = 0
    try check(methods.xFileSize(file, &size))
    guard size > 0 else { return }
    let stretch = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.rewrittenAtOnce, alignment: 16)
    defer { stretch.deallocate() }
    for offset in Swift.stride(from: 0, to: size, by: stretch.count) {
      let count = Int32(min(size - offset, Int64(stretch.count)))
      try check(methods.xRead(file, stretch.baseAddress, count, offset))
      try check(methods.xWrite(file, stretch.baseAddress, count, offset))
    }
    try check(methods.xSync(file, SQLITE_SYNC_FULL))
  }

  private func check(_ code: Int32) throws(SQLiteError) {
    guard code == SQLITE_OK else {
      throw SQLiteError(code: code, message: sqlite3_errstr(code).map { String(cString: $0) } ?? "unknown error")
    }
  }
}
