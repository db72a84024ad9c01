import CSQLite
import SQL

// Secures the log of an earlier process, once, when the database is opened. `Checkpoints` has the rules of the log from
// then on.
extension Connection {
  /// Writes the log once more, byte for byte, and syncs it, so that everything in it is on the disk.
  ///
  /// The last process may have ended after a failed sync. Linux then has the transaction in its cache as if it were on
  /// the disk: this process finds it in the log and appends to it, and its own syncs succeed without writing it. After
  /// a power failure the log would end before that transaction, so that everything acknowledged since would be lost.
  /// Bytes that are written again are synced again.
  ///
  /// After an orderly end there is no log, and nothing to do.
  func rewriteLog() throws(SQLiteError) {
    // Keeps others from writing meanwhile.
    try run("BEGIN IMMEDIATE")
    defer { rollBack() }
    guard let (file, methods) = try file(SQLITE_FCNTL_JOURNAL_POINTER) else { return }
    var size: Int64 = 0
    try checkMethod(methods.xFileSize(file, &size))
    guard size > 0 else { return }
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunkBytes, alignment: 16)
    defer { chunk.deallocate() }
    for offset in Swift.stride(from: 0, to: size, by: chunk.count) {
      let count = Int32(min(size - offset, Int64(chunk.count)))
      try checkMethod(methods.xRead(file, chunk.baseAddress, count, offset))
      try checkMethod(methods.xWrite(file, chunk.baseAddress, count, offset))
    }
    try checkMethod(methods.xSync(file, SQLITE_SYNC_FULL))
  }

  /// The connection has no words for what a method of its file returns.
  private func checkMethod(_ code: Int32) throws(SQLiteError) {
    guard code == SQLITE_OK else { throw SQLiteError(code: code) }
  }
}
