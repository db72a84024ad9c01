import CLinux

// Gives memory back to the system. `MemoryBudget` limits what clients make the process hold.

/// Lets allocations of more than a mebibyte go back to the system as soon as they are freed. Otherwise the allocator puts
/// those of up to 32 MiB among smaller ones once it has seen some, and cannot give them back.
///
/// Pieces of bodies have a mebibyte at most. With the header of their array they are still reused: new pages for each
/// piece would take twice the processor time of a download from an object store.
package func returnLargeAllocations() {
  clinux_map_large_allocations(Int32(largeAllocationBytes))
}

/// After `returnLargeAllocations`, an allocation of this size has pages of its own, which take memory only once they are
/// written to.
package let largeAllocationBytes = (1 << 20) + (1 << 16)

/// Gives the system back what the allocator keeps of memory that was freed. It takes milliseconds.
package func returnUnusedMemory() {
  clinux_return_unused_memory()
}

/// Notices memory of the process that no client is counted for: what was freed and not returned to the system.
package struct UncountedMemory {
  /// Less is not worth the time.
  package static let minGrowth: Int64 = 4 * 1024 * 1024

  private var least: Int64?

  package init() {}

  /// Whether it has grown by `minGrowth` since it was least, or since this was last true.
  package mutating func hasGrown(to bytes: Int64) -> Bool {
    guard let least, bytes &- least >= Self.minGrowth else {
      least = min(bytes, least ?? bytes)
      return false
    }
    self.least = nil
    return true
  }
}
