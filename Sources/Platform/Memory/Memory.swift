import CLinux

public enum Memory {
  private static let largeAllocation: Int32 = 1 << 20

  /// Lets large allocations go back to the system as soon as they are freed. Otherwise the allocator puts those of up to
  /// 32 MiB among smaller ones once it has seen some, and cannot give them back.
  public static func returnLargeAllocations() {
    clinux_map_large_allocations(Self.largeAllocation)
  }

  /// Gives the system back what the allocator keeps of memory that was freed. It takes milliseconds.
  public static func returnUnused() {
    clinux_return_unused_memory()
  }
}
