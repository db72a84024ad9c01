import Platform

/// Lets one of several requests for the same list do the work, in its own task.
///
/// While a list is made, all further requests for it wait. Then the first of them makes the next one, which it shares
/// with the others.
final class SingleFlight: Sendable {
  private enum Turn: Sendable {
    case work
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
    /// Those who came after it was begun.
    var next: [Waiting] = []
  }

  /// A list has an entry while somebody makes it.
  private let entries = Monitor<[LongList.Key: Entry]>([:])

  func run(_ key: LongList.Key, _ work: () async throws -> LongList) async throws -> LongList {
    if case .done(let result) = await turn(key) { return try result.get() }
    let result: Result<LongList, any Error>
    do {
      result = .success(try await work())
    } catch {
      result = .failure(error)
    }
    end(key, result)
    return try result.get()
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
        if isFirst { continuation.resume(returning: .work) }
      }
    } onCancel: {
      isCancelled.withLock { $0 = true }
    }
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
      entries[key] = Entry(sharing: entry.next)
      return (done, worker)
    }
    for waiting in done { waiting.continuation.resume(returning: .done(result)) }
    worker?.continuation.resume(returning: .work)
  }
}
