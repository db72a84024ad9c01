import CLinux

/// Lets allocations of a mebibyte and more go back to the system as soon as they are freed. Otherwise the allocator puts
/// those of up to 32 MiB among smaller ones once it has seen some, and cannot give them back.
public func returnLargeAllocations() {
  clinux_map_large_allocations(1 << 20)
}

/// Gives the system back what the allocator keeps of memory that was freed. It takes milliseconds.
public func returnUnusedMemory() {
  clinux_return_unused_memory()
}
