import Glibc
import HTTPMessages
import Platform
import SQL
import SQLite

/// Why the server could not do what a valid request asked for. A request that breaks a rule gets an `APIError` or a
/// `Refusal`. ErrorResponses.swift makes the response.
package struct StorageFailure: Sendable {
  package enum Kind: Sendable, Equatable {
    /// Too much waits already, or the client disconnected; nothing was done.
    case busy
    /// The disk, or the owner's quota, is full.
    case full
    /// A part that the servers of a cluster share does not respond now, such as a database that is being restarted;
    /// nothing was done.
    case databaseAway, objectsAway
    /// A shared database did not say whether it has stored what it was sent, and it cannot be found out.
    case outcomeUnknown
    /// The disk does not work as it should, by its errno; 0 where there is none.
    case failing(Int32)
    /// The database's file is damaged.
    case damaged
    /// Another program has locked the database; nothing was done.
    case locked
    /// An error that no case above describes: a bug, or a database that is not where it was.
    case unexpected
  }

  package let kind: Kind
  /// Tells the owner what is wrong and how to fix it. Anyone may read it, so it names no path.
  let message: String
  /// The error itself, for the log.
  let detail: String

  /// The next photo may not fit.
  static func almostFull(freeBytes: Int64, neededBytes: Int64) -> StorageFailure {
    StorageFailure(
      kind: .full,
      message: """
        The disk is almost full: a photo of the size that MAX_PHOTO_BYTES allows may not fit. Make room: \
        \(neededBytes >> 20) MiB at least.
        """, detail: "\(freeBytes >> 20) MiB are free, \(neededBytes >> 20) MiB are needed")
  }

  /// The disk has not responded within ``Readiness/timeout``.
  static let slow = StorageFailure(
    kind: .busy,
    message:
      "The storage does not respond: a small file and a small transaction take more than \(Readiness.timeout / 1000) s. "
      + "Check the disk, and what else uses it.", detail: "a probe is still under way")

  /// The response to a request that failed, in words for the client's user.
  func response(requestID: String) -> APIError {
    switch kind {
    case .busy: .busy
    case .full:
      APIError(
        .insufficientStorage, "The server's disk is full. Its owner must make room before anything can be stored.",
        reason: .storageFull)
    case .databaseAway:
      APIError(
        .serviceUnavailable, "The server's database does not respond. Try again in a few seconds.",
        reason: .databaseAway, retryAfter: Self.retryAfterAway)
    case .objectsAway:
      APIError(
        .serviceUnavailable, "The server's photo storage does not respond. Try again in a few seconds.",
        reason: .storageAway, retryAfter: Self.retryAfterAway)
    case .outcomeUnknown:
      APIError(
        .serviceUnavailable, "The server does not know whether this was stored. Check before you try again.",
        reason: .outcomeUnknown, retryAfter: Self.retryAfterAway)
    case .failing(let number):
      APIError(
        .internalServerError,
        """
        The server cannot use its storage\(Self.cause(number)). Its owner must check the disk; the server's log has \
        the details under the request id \(requestID).
        """, reason: .storageFailing)
    case .locked:
      APIError(
        .serviceUnavailable,
        "Another program on the server has locked its database. Try again in a few seconds.",
        reason: .storageFailing, retryAfter: Self.retryAfterAway)
    case .damaged:
      APIError(
        .internalServerError,
        """
        The server's database is damaged. Its owner must restore a backup; the server's log has the details under the \
        request id \(requestID).
        """, reason: .storageFailing)
    case .unexpected:
      APIError(
        .internalServerError,
        "Something went wrong on the server. Its log has the details under the request id \(requestID).")
    }
  }

  /// In seconds: another database takes the place of one that has failed in about this time.
  private static let retryAfterAway = 5
}

extension StorageFailure {
  package init(_ error: any Error) {
    let (kind, message) = Self.classify(error)
    self.init(kind: kind, message: message, detail: "\(error)")
  }

  private static func classify(_ error: any Error) -> (Kind, String) {
    switch error {
    case is QueueFull:
      (
        .busy,
        """
        The server is busy: the queue for its disk is full. It is ready again once the queue is shorter; if this \
        persists, the disk is too slow.
        """
      )
    case let error as FileError where error.isDiskFull:
      (.full, FileSystem.lacksInodes(at: FileSystem.parent(of: error.path)) ? noInodes : full(error.number))
    case let error as FileError where error.number == EMFILE: (.busy, noDescriptors)
    case let error as FileError: (.failing(error.number), message(of: error))
    case let error as SQLiteError where error.isDiskFull: (.full, full(error.systemNumber))
    case let error as SQLiteError where error.isBusy:
      (.locked, "Another program has locked the database. Stop it: only the server may write to the database.")
    case let error as SQLiteError where error.isDamage: (.damaged, damaged)
    case DatabaseError.outOfOrder: (.damaged, damaged)
    case let error as SQLiteError:
      (error.isStorageFailure ? .failing(error.systemNumber) : .unexpected, message(of: error))
    case DatabaseError.moved:
      (
        .unexpected,
        """
        The database's file was moved, deleted or replaced while the server runs. Put it back, or stop the server, \
        restore a backup and start it again.
        """
      )
    case let error as SharedDatabaseError: error.storageFailure
    case let error as PhotoObjectsError: error.storageFailure
    case DatabaseError.closed: (.unexpected, "The server is stopping.")
    case is CancellationError: (.busy, unknown)
    default: (.unexpected, unknown)
    }
  }

  private static func message(of error: FileError) -> String {
    switch error.number {
    case EROFS: readOnly
    case EACCES, EPERM:
      "The server may not write to its storage. Give the folder and everything in it to the user that runs the server."
    case ENOENT, ENOTDIR:
      "The storage folder is missing, or something in it that should be a folder is not. Mount the storage, or "
        + "restore a backup."
    default: failing(error.number)
    }
  }

  private static func message(of error: SQLiteError) -> String {
    if error.isReadOnly { return readOnly }
    return failing(error.systemNumber)
  }

  package static let damaged =
    "The database is damaged. See what is affected with selfie-server doctor. \(SQLiteError.damageRemedy)"
  static let unknown = "The storage failed. The server's log has the details."

  private static func full(_ number: Int32) -> String {
    switch number {
    case EDQUOT: "The quota of the server's user on the disk is used up. Make room, or raise the quota."
    case EFBIG: "A file has reached the limit of the size of files. Raise it (ulimit -f, LimitFSIZE=)."
    default: "The disk is full, or the server's quota on it is used up. Make room, or raise the quota."
    }
  }

  package static let noInodes = "The file system has no inodes left for more files (df -i). Delete small files."
  private static let noDescriptors =
    "All descriptors are in use by clients that cannot give way. Allow the server more (ulimit -n, LimitNOFILE=)."
  private static let readOnly =
    "The storage is read-only. Mount it for writing, or give it to the user that runs the server."

  private static func failing(_ number: Int32) -> String {
    "The server cannot use its storage\(cause(number)). Check the disk; the server's log has the details."
  }

  private static func cause(_ number: Int32) -> String {
    number == 0 ? "" : " (\(String(cString: strerror(number))))"
  }
}

// The messages do not name the server, since anyone may read them.

extension SharedDatabaseError {
  fileprivate var storageFailure: (StorageFailure.Kind, String) {
    switch kind {
    case .away:
      (.databaseAway, "The database does not respond. Check the PostgreSQL server, and the network on the way to it.")
    case .timeout, .conflict:
      (.busy, "The database is too slow, or blocked by other work. Check what the PostgreSQL server is doing.")
    case .full:
      (.full, "The database's disk is full, or PostgreSQL has reached another limit. Make room, or raise the limit.")
    case .outcomeUnknown:
      (
        .outcomeUnknown,
        "The database did not say whether it stored something. Check the PostgreSQL server, and the network."
      )
    // Writes lock and check what they refer to, so that these are mistakes of the program.
    case .nulInText, .bug: (.unexpected, StorageFailure.unknown)
    }
  }
}

extension PhotoObjectsError {
  fileprivate var storageFailure: (StorageFailure.Kind, String) {
    switch kind {
    case .away:
      (
        .objectsAway,
        "The object store does not respond, or S3_BUCKET does not exist. Check both, and the network on the way."
      )
    case .full: (.full, "The object store, or its bucket, is full. Make room, or raise the quota.")
    case .missing, .unexpected:
      (
        .unexpected,
        "The object store refuses the server's requests. Check its settings; the server's log has the details."
      )
    }
  }
}
