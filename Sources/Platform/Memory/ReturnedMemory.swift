import CLinux

// Gives memory back to the system. `MemoryGovernor` decides when.

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
