/// The batches that wait for a connection, in their order.
struct WaitingBatches {
  private var waiting: [(batch: Batch, deadline: Int64)] = []

  var count: Int { waiting.count }

  /// When the first of them has waited for too long.
  var deadline: Int64? { waiting.first?.deadline }

  mutating func append(_ batch: Batch, deadline: Int64) {
    waiting.append((batch, deadline))
  }

  /// The first ones, `count` at most.
  mutating func removeFirst(_ count: Int) -> [Batch] {
    let first = waiting.prefix(count).map(\.batch)
    waiting.removeFirst(first.count)
    return first
  }

  /// One whose deadline has passed; nil if there is none.
  mutating func removeExpired(now: Int64) -> Batch? {
    guard let deadline, deadline <= now else { return nil }
    return waiting.removeFirst().batch
  }

  mutating func removeAll() -> [Batch] { removeFirst(count) }
}
