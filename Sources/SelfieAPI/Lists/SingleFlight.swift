import Platform

/// Lets one of several requests for the same list do the work, in its own task, and share the list with the others.
///
/// A request never shares a list that was begun before it, so it is shown all that had been committed. While a list is
/// made, all further requests for it wait. Then the first of them makes the next one: a client that asks a hundred times
/// at once costs the work of two lists.
final class SingleFlight: Sendable {
  private enum Turn: Sendable {
    case work(isCancelled: Monitor<Bool>)
    /// Another request has done the work.
    case done(Result<LongList, any Error>)
  }

  private struct Waiting {
    let continuation: UnsafeContinuation<Turn, Never>
    let isCancelled: Monitor<Bool>
  }

  private struct Entry {
    /// Those who get what is being made.
    var sharing: [Waiting] = []
    /// Those who get what is made next: until it is begun, that is what the entry was made for.
    var next: [Waiting] = []
  }

  /// A list has an entry while somebody makes it.
  private let entries = Monitor<[LongList.Key: Entry]>([:])

  /// - Parameter work: calls `begin` before it reads anything. All who wait by then share what it makes. `begin` returns
  ///   false if all of them have gone, the caller included.
  func run(
    _ key: LongList.Key, _ work: (_ begin: @escaping @Sendable () -> Bool) async throws -> LongList
  ) async throws -> LongList {
    let isCancelled: Monitor<Bool>
    switch await turn(key) {
    case .work(let flag): isCancelled = flag
    case .done(let result): return try result.get()
    }
    let result: Result<LongList, any Error>
    do {
      let list = try await withTaskCancellationHandler {
        try await work { [self] in begin(key, isCancelled: isCancelled) }
      } onCancel: {
        isCancelled.withLock { $0 = true }
      }
      result = .success(list)
    } catch {
      result = .failure(error)
    }
    end(key, result)
    return try result.get()
  }

  /// How many requests for a list are not answered yet.
  func requestCount(_ key: LongList.Key) -> Int {
    entries.withLock { $0[key].map { 1 + $0.sharing.count + $0.next.count } ?? 0 }
  }

  private func turn(_ key: LongList.Key) async -> Turn {
    let isCancelled = Monitor(false)
    return await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let isFirst = entries.withLock { entries in
          let isFirst = entries[key] == nil
          let waiting = Waiting(continuation: continuation, isCancelled: isCancelled)
          entries[key, default: Entry()].next += isFirst ? [] : [waiting]
          return isFirst
        }
        if isFirst { continuation.resume(returning: .work(isCancelled: isCancelled)) }
      }
    } onCancel: {
      isCancelled.withLock { $0 = true }
    }
  }

  private func begin(_ key: LongList.Key, isCancelled: Monitor<Bool>) -> Bool {
    let sharing = entries.withLock { entries in
      let sharing = entries[key]?.next ?? []
      entries[key] = Entry(sharing: sharing)
      return sharing
    }
    return ([isCancelled] + sharing.map(\.isCancelled)).contains { isCancelled in !isCancelled.withLock(\.self) }
  }

  private func end(_ key: LongList.Key, _ result: Result<LongList, any Error>) {
    let (done, worker) = entries.withLock { entries -> ([Waiting], Waiting?) in
      var entry = entries[key] ?? Entry()
      var done = entry.sharing
      // The client of this one has gone, which is nothing to the others.
      if case .failure(is CancellationError) = result { (done, entry.next) = ([], done + entry.next) }
      guard let index = entry.next.firstIndex(where: { !$0.isCancelled.withLock(\.self) }) else {
        entries[key] = nil
        return (done + entry.next, nil)
      }
      let worker = entry.next.remove(at: index)
      entries[key] = Entry(next: entry.next)
      return (done, worker)
    }
    for waiting in done { waiting.continuation.resume(returning: .done(result)) }
    if let worker { worker.continuation.resume(returning: .work(isCancelled: worker.isCancelled)) }
  }
}
