import SQLite
import Platform

/// What has kept the server from doing what a request asked for, when nothing is wrong with the request.
package enum RequestFailure: Sendable, Equatable {
  /// Its client has gone; nobody will read the answer.
  case cancelled
  /// There is more to do than the server can; nothing was done.
  case busy
  /// The disk, or what its owner may use of it, is full.
  case storageFull
  /// The disk does not do what it is asked for; the errno, 0 where there is none.
  case storageFailing(Int32)
  /// Nobody has thought of it.
  case unexpected

  package init(_ error: any Error) {
    self =
      switch error {
      case is CancellationError: .cancelled
      case is WorkerPoolFull, is DatabaseBusy, is StorageReplaced: .busy
      case let error as SQLiteError where error.isDiskFull: .storageFull
      case let error as FileError where error.isDiskFull: .storageFull
      case let error as SQLiteError where error.isStorageFailure: .storageFailing(error.systemNumber)
      case let error as FileError: .storageFailing(error.number)
      default: .unexpected
      }
  }
}
