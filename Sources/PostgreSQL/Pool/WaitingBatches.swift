/// The batches that wait for a connection: reads for one that reads, writes for one that writes, in their order.
struct WaitingBatches {
  private struct Waiting {
    let batch: Batch
    let deadline: Int64
  }

  private var reads: [Waiting] = []
  private var writes: [Waiting] = []

  var count: Int { reads.count + writes.count }
  var readCount: Int { reads.count }

  func isEmpty(ofWrites: Bool) -> Bool { ofWrites ? writes.isEmpty : reads.isEmpty }

  /// When the first of them has waited for too long.
  var deadline: Int64? {
    [reads.first, writes.first].compactMap { $0?.deadline }.min()
  }

  mutating func append(_ batch: Batch, deadline: Int64) {
    let waiting = Waiting(batch: batch, deadline: deadline)
    if batch.isWrite { writes.append(waiting) } else { reads.append(waiting) }
  }

  /// So many of the first ones, or all if there are fewer.
  mutating func removeFirst(_ count: Int, ofWrites: Bool) -> [Batch] {
    ofWrites ? Self.removeFirst(count, of: &writes) : Self.removeFirst(count, of: &reads)
  }

  private static func removeFirst(_ count: Int, of waiting: inout [Waiting]) -> [Batch] {
    let first = waiting.prefix(count).map(\.batch)
    waiting.removeFirst(first.count)
    return first
  }

  /// One whose deadline has passed; nil if there is none.
  mutating func removeExpired(now: Int64) -> Batch? {
    for ofWrites in [false, true] {
      if let first = ofWrites ? writes.first : reads.first, first.deadline <= now {
        return removeFirst(1, ofWrites: ofWrites).first
      }
    }
    return nil
  }

  mutating func removeAll() -> [Batch] {
    defer { self = WaitingBatches() }
    return (reads + writes).map(\.batch)
  }
}
