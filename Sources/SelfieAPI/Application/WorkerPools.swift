package import Platform
import SQLite

/// The threads for work that would block an event loop. All applications of a process share them. Each pool is a
/// `WorkerPool` in Platform.
package struct WorkerPools: Sendable {
  /// Hashes passwords with bcrypt.
  package let hashing: WorkerPool
  /// Waits for the disk.
  package let disk: WorkerPool
  /// Makes long lists.
  package let lists: WorkerPool
  /// Parses long bodies.
  package let parsing: WorkerPool
  /// Does what no request waits for.
  package let background: WorkerPool

  package var all: [WorkerPool] { [hashing, disk, lists, parsing, background] }

  /// Lets short requests go before long lists and long bodies.
  private static let longWorkNiceness = 5
  /// Lets everything else go first. With as many requests as cores, the pool still gets a tenth of a core.
  private static let backgroundNiceness = 10

  /// A pool starts its threads when it has work for them.
  package init(cores: Int) {
    // A hash takes a quarter of a second and most responses take microseconds, so the hash yields to them. So many may
    // wait of sign-ups, and of all that checks a password: with a longer queue they would wait for a minute.
    hashing = WorkerPool(name: "bcrypt", niceness: Self.backgroundNiceness, threads: cores, waiting: 256)
    // The disk serves uploads together if they reach it at the same time. As many may wait as the writes that a database
    // queues: an upload needs both.
    disk = WorkerPool(name: "disk", threads: 16, waiting: Database.maxWaitingWrites)
    // Pages of lists, at less than a millisecond each. Beyond it, the client with most of them loses one.
    lists = WorkerPool(name: "lists", niceness: Self.longWorkNiceness, threads: cores, waiting: 256)
    // At ten milliseconds for a megabyte, a full queue is the work of a second.
    parsing = WorkerPool(name: "parsing", niceness: Self.longWorkNiceness, threads: cores, waiting: 256)
    // An application submits one job at a time here and, if the pool is full, tries again seconds later.
    background = WorkerPool(name: "background", niceness: Self.backgroundNiceness, threads: 1, waiting: 16)
  }

  package init(
    hashing: WorkerPool, disk: WorkerPool, lists: WorkerPool, parsing: WorkerPool, background: WorkerPool
  ) {
    self.hashing = hashing
    self.disk = disk
    self.lists = lists
    self.parsing = parsing
    self.background = background
  }

  /// Finishes the work that waits, then ends the threads. Blocks until then.
  package func shutDown() {
    for pool in [background, hashing, lists, parsing, disk] { pool.shutDown() }
  }
}
