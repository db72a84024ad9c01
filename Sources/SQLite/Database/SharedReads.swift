import Platform

/// Lets consecutive reads on one thread share a connection and a snapshot until the next commit, the next checkpoint
/// that waits for readers, or the end of the thread's turn. A snapshot costs two file locks, about as much as a small
/// read.
final class SharedReads {
  private static let current = ThreadLocal<SharedReads>()

  private let readers: ReaderPool
  private var reader: Connection?
  /// The writer's `snapshotEpoch` when the snapshot was taken; nil without one.
  private var snapshot: Int?
  private var isLent = false

  private init(_ readers: ReaderPool) {
    self.readers = readers
  }

  deinit {
    end()
  }

  /// Ends what the calling thread shares. Its reads of this database share from the first call on: a thread that
  /// never calls this would never end a snapshot, so its reads take none together.
  static func endTurn(of readers: ReaderPool) {
    if let shared = current.value, shared.readers === readers { return shared.end() }
    current.value = SharedReads(readers)
  }

  /// What the calling thread shares; nil if it shares nothing of this database, or is within a read.
  static func current(of readers: ReaderPool) -> SharedReads? {
    guard let shared = current.value, shared.readers === readers, !shared.isLent else { return nil }
    return shared
  }

  /// A connection whose snapshot is of the writer's `epoch` or later.
  func borrow(epoch: Int) throws -> Connection {
    let reader = try reader ?? readers.take()
    self.reader = reader
    if snapshot != epoch || !reader.isInTransaction {
      try endSnapshot()
      try reader.run("BEGIN")
      snapshot = epoch
    }
    isLent = true
    return reader
  }

  /// - Parameter isIntact: false after an error: what it has left of the snapshot is not known.
  func giveBack(isIntact: Bool) {
    isLent = false
    if !isIntact { try? endSnapshot() }
  }

  private func endSnapshot() throws {
    snapshot = nil
    if let reader, reader.isInTransaction { try reader.run("COMMIT") }
  }

  private func end() {
    guard let reader else { return }
    // If it fails, the connection is still in its transaction, and the pool closes it.
    try? endSnapshot()
    readers.giveBack(reader)
    self.reader = nil
  }
}
