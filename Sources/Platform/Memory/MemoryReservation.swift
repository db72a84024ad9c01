import Synchronization

/// A part of a memory budget, which gets it back when it is released. `MemoryBudget` decides whether there is room;
/// ReturnedMemory.swift gives memory back to the system.
package final class MemoryReservation: Sendable {
  package let budget: MemoryBudget
  private let held = Atomic<Int>(0)

  /// Reserves nothing yet.
  package init(of budget: MemoryBudget) {
    self.budget = budget
    budget.countReservation(1)
  }

  deinit {
    budget.subtract(held.load(ordering: .relaxed))
    budget.countReservation(-1)
  }

  package var bytes: Int { held.load(ordering: .relaxed) }

  /// Reserves so many bytes in all. One thread at a time may call this.
  ///
  /// - Returns: false if they are not there; the reservation stays as it was then.
  package func resize(to bytes: Int) -> Bool {
    let before = self.bytes
    if bytes <= before {
      budget.subtract(before - bytes)
    } else if !budget.reserve(bytes - before, total: bytes) {
      return false
    }
    held.store(bytes, ordering: .relaxed)
    return true
  }
}
