import Synchronization

/// Tells threads to end.
public final class Flag: Sendable {
  private let value = Atomic<Bool>(false)

  public init() {}

  public var isRaised: Bool { value.load(ordering: .relaxed) }

  public func raise() {
    value.store(true, ordering: .relaxed)
  }
}
