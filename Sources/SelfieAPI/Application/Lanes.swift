import Platform

/// The threads for what an event loop must not wait for. Applications in one process share them.
public struct Lanes: Sendable {
  /// Where passwords are hashed.
  public let hashing: WorkerPool
  /// Where long lists are made.
  public let listing: WorkerPool
  /// Where the disk is waited for.
  public let filing: WorkerPool
  /// Where work is done that nobody waits for.
  public let background: WorkerPool

  /// Sign-ins that may wait for a core: at a quarter of a second each, more would wait too long.
  private static let mostWaitingHashes = 256
  /// Uploads that wait for the disk at the same moment, so that it can serve them together.
  private static let filingThreads = 16
  private static let mostWaitingFiles = 4096
  /// Long lists that may wait for a core: at ten milliseconds for ten thousand photos, the work of seconds.
  private static let mostWaitingLists = 256
  /// Enough for short answers to go first.
  private static let listingNiceness = 5
  /// How far what nobody waits for lets the rest go first: with as many requests as cores it gets a tenth of one.
  private static let backgroundNiceness = 10

  /// Threads are started when there is work for them.
  public init(cores: Int) {
    // A hash takes a quarter of a second, an answer microseconds: the hash can wait that long.
    hashing = WorkerPool(
      name: "bcrypt", niceness: Self.backgroundNiceness, threads: cores, waiting: Self.mostWaitingHashes)
    listing = WorkerPool(name: "lists", niceness: Self.listingNiceness, threads: cores, waiting: Self.mostWaitingLists)
    filing = WorkerPool(name: "files", threads: Self.filingThreads, waiting: Self.mostWaitingFiles)
    background = WorkerPool(name: "background", niceness: Self.backgroundNiceness, threads: 1, waiting: 16)
  }

  /// Finishes what waits, then ends the threads. Blocks meanwhile.
  public func shutDown() {
    background.shutDown()
    hashing.shutDown()
    listing.shutDown()
    filing.shutDown()
  }
}
