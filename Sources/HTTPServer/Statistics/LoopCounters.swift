import Synchronization

/// What one event loop has counted. The loop's thread counts, and any thread reads.
///
/// Only one thread writes, so counting is a load and a store of the processor, neither a lock nor an atomic addition.
/// Nobody waits for a counter, so relaxed ordering is enough: a reader may see one counter before another.
final class LoopCounters: Sendable {
  enum Counter: Int, CaseIterable {
    case accepted, refused, receivedBytes, sentBytes
    case fullHandshakes12, fullHandshakes13, resumedHandshakes12, resumedHandshakes13, failedHandshakes
  }

  /// A cache line of 64 bytes at either end, so that no other thread writes to the lines of the counters.
  private static let padding = 8
  private let values = InlineArray<40, Atomic<Int>> { _ in Atomic(0) }

  /// Must be called on the loop's thread.
  func add(_ amount: Int = 1, to counter: Counter) {
    add(amount, at: counter.rawValue)
  }

  /// Counts a connection that changes its state. Nil stands for a connection that is not there yet, or not any more.
  /// Must be called on the loop's thread.
  func move(from old: ConnectionState?, to new: ConnectionState?) {
    if let old { add(-1, at: Counter.allCases.count + old.rawValue) }
    if let new { add(1, at: Counter.allCases.count + new.rawValue) }
  }

  subscript(counter: Counter) -> Int { values[Self.padding + counter.rawValue].load(ordering: .relaxed) }

  /// How many connections are in a state.
  subscript(state: ConnectionState) -> Int {
    values[Self.padding + Counter.allCases.count + state.rawValue].load(ordering: .relaxed)
  }

  private func add(_ amount: Int, at index: Int) {
    let index = Self.padding + index
    values[index].store(values[index].load(ordering: .relaxed) &+ amount, ordering: .relaxed)
  }
}
