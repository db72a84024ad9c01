import Platform

/// What the reads that a thread does one after the other have in common: a connection, and one snapshot of the
/// database for as long as nothing is committed. Each snapshot costs two file locks, as much as a small read.
final class SharedReads {
  private static let current = ThreadLocal<SharedReads>()

  private let readers: ReaderPool
  private var reader: Connection?
  /// How many commits there had been when the snapshot was taken; nil without one.
  private var snapshot: Int?
  private var isLent = false

  private init(_ readers: ReaderPool) {
    self.readers = readers
  }

  /// Runs `body`; reads of the same database that it does on this thread are shared.
  static func share<Result>(_ readers: ReaderPool, _ body: () throws -> Result) rethrows -> Result {
    let shared = SharedReads(readers)
    defer { shared.end() }
    return try current.withValue(shared, body)
  }

  /// What the calling thread shares, unless a read of it is under way.
  static func current(of readers: ReaderPool) -> SharedReads? {
    guard let shared = current.value, shared.readers === readers, !shared.isLent else { return nil }
    return shared
  }

  /// A connection that sees at least the first `commits` commits.
  func borrow(commits: Int) throws -> Connection {
    let reader = try reader ?? readers.take()
    self.reader = reader
    if snapshot != commits || !reader.isInTransaction {
      try endSnapshot()
      try reader.run("BEGIN")
      snapshot = commits
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
  }
}
