import Platform

/// Looks up the addresses of the hosts on another thread, since that may block.
final class AddressLookUps: Sendable {
  private let url: DatabaseURL
  private let workers: WorkerPool
  private let found = Monitor<[Int: HostAddresses?]>([:])

  init(_ url: DatabaseURL, workers: WorkerPool) {
    self.url = url
    self.workers = workers
  }

  /// Begins a look-up for the member with this number; false if too much waits on the threads already.
  func begin(for member: Int, whenDone: @escaping @Sendable () -> Void) -> Bool {
    workers.submit { [self] in
      let addresses = HostAddresses(of: url)
      found.withLock { $0[member] = .some(addresses) }
      whenDone()
    }
  }

  /// What was found since the last call, by the numbers of members.
  func takeFound() -> [Int: HostAddresses?] {
    found.withLock { found in
      defer { found = [:] }
      return found
    }
  }
}
