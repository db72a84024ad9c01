import CLinux

/// What this process has in memory, by two measures, both of which are too high in a way of their own.
struct ProcessMemory: Sendable {
  /// The bytes in memory that are in no file that is mapped, with those that were freed and not returned to the system.
  /// Takes some microseconds; 0 without /proc.
  let resident: @Sendable () -> Int
  /// The bytes that the allocator has given away, with those that were never written to. 0 where it cannot tell.
  ///
  /// It locks each heap in turn and walks the list of its gaps: after a wave of clients a heap of 80 MB has had 300,000,
  /// which took 75 ms.
  let allocated: @Sendable () -> Int

  /// Returns to the system what was freed. It locks each heap in turn, too, and takes milliseconds.
  let returnUnused: @Sendable () -> Void

  static let ofThisProcess = ProcessMemory(
    resident: { Int(clamping: ProcessStatistics.anonymousBytes ?? 0) },
    allocated: { Int(clamping: clinux_allocated_bytes()) },
    returnUnused: clinux_return_unused_memory)
}
