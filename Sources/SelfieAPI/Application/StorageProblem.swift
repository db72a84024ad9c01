import Glibc
import SQLite
import Platform

/// Why nothing can be stored, in words for the server's owner.
struct StorageProblem: Sendable {
  /// What is wrong and what would be right. Anybody may read it, so it names no path of the machine.
  let message: String
  /// What exactly happened, for the log.
  let detail: String

  private init(_ message: String, detail: String) {
    self.message = message
    self.detail = detail
  }

  /// Words for what writing has thrown.
  init(_ error: any Error) {
    let message: String
    switch error {
    case is WorkerPoolFull, is DatabaseBusy: message = Self.busy
    case let error as FileError: message = Self.message(for: error)
    case let error as SQLiteError: message = Self.message(for: error)
    case is DatabaseMoved:
      message = """
        The database's file was moved, deleted or replaced while the server runs. Put it back, or stop the server, \
        restore a backup and start it again.
        """
    case is DatabaseClosed: message = "The server is stopping."
    default: message = "The storage fails. The server's log says more."
    }
    self.init(message, detail: "\(error)")
  }

  /// So little room that the next photo may not fit.
  static func almostFull(freeBytes: Int64, neededBytes: Int64) -> StorageProblem {
    StorageProblem(
      """
      The disk is almost full: a photo of the size that MAX_PHOTO_BYTES allows may not fit. Make room: \
      \(neededBytes >> 20) MiB at least.
      """, detail: "\(freeBytes >> 20) MiB are free, \(neededBytes >> 20) MiB are needed")
  }

  /// The disk has not answered.
  static let slow = StorageProblem(
    "The storage does not answer: a small file and a small transaction take longer than \(Readiness.patience / 1000) s. "
      + "Look at the disk and at what else uses it.", detail: "a probe is still under way")

  private static let busy = """
    The server is busy: as much waits for the disk as may wait. It is ready again when that is done; if this lasts, the \
    disk is too slow.
    """
  private static let full = """
    The disk is full, or what the server may use of it. Make room, or raise the quota.
    """
  private static let readOnly =
    "The storage is read-only. Mount it for writing, or give it to the user that runs the server."
  private static let forbidden = """
    The server may not write to its storage. Give the folder and everything in it to the user that runs the server.
    """

  private static func message(for error: FileError) -> String {
    if error.isDiskFull { return full }
    switch error.number {
    case EROFS: return readOnly
    case EACCES, EPERM: return forbidden
    case ENOENT, ENOTDIR:
      return "The storage folder is missing, or a folder in it is none. Mount the storage, or restore a backup."
    default: return failing(error.number)
    }
  }

  private static func message(for error: SQLiteError) -> String {
    if error.isDiskFull { return full }
    if error.isBusy { return "Another program has locked the database. End it: nothing else may write to it." }
    if error.isReadOnly { return readOnly }
    if error.isDamage {
      return """
        The database is damaged. Stop the server, look at the storage with `selfie-server doctor`, and restore a backup.
        """
    }
    return failing(error.systemNumber)
  }

  private static func failing(_ number: Int32) -> String {
    let cause = number == 0 ? "" : " (\(String(cString: strerror(number))))"
    return "The storage cannot be used as it should\(cause). Look at the disk; the server's log says more."
  }
}
