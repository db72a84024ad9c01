import Synchronization

// Counts changes of data. `WriteSubject` in SelfieAPI names the data, and `ReadCache` keeps what was read.

/// The data that a write changes.
package enum ChangedData: Sendable {
  /// Nothing that anybody keeps.
  case none
  /// What belongs to a key, such as the id of a user.
  case ofKey(Int64)
  case all
}

/// Counts the commits that have changed the data of each key.
final class ChangeCounts: Sendable {
  /// Keys that share a count only cost each other a read. A power of two.
  private static let size: Int64 = 4096
  private let ofKeys = InlineArray<4096, Atomic<Int>> { _ in Atomic(0) }
  private let ofAll = Atomic<Int>(0)

  func add(_ data: ChangedData) {
    switch data {
    case .none: break
    case .ofKey(let key): ofKeys[Self.index(key)].wrappingAdd(1, ordering: .releasing)
    case .all: ofAll.wrappingAdd(1, ordering: .releasing)
    }
  }

  subscript(key: Int64) -> Int {
    ofKeys[Self.index(key)].load(ordering: .acquiring) &+ ofAll.load(ordering: .acquiring)
  }

  private static func index(_ key: Int64) -> Int { Int(key & (size - 1)) }
}
