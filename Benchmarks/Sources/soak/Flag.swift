import Synchronization

/// Tells threads to end.
final class Flag: Sendable {
  private let value = Atomic<Bool>(false)

  var isRaised: Bool { value.load(ordering: .relaxed) }

  func raise() {
    value.store(true, ordering: .relaxed)
  }
}
