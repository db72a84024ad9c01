import CLinux

public enum Memory {
  /// Gives the system back what the allocator keeps of memory that was freed. It takes milliseconds.
  public static func returnUnused() {
    clinux_return_unused_memory()
  }
}
