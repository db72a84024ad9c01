import Glibc

/// How many files and sockets a process may have open.
public enum DescriptorLimit {
  /// Enough for thousands of worlds and servers: an empty world has three open, a server a dozen.
  private static let wanted: rlim_t = 65_536

  /// Raises it, as far as this process may. Many systems begin with 1024, for the sake of programs that use select(2),
  /// which none can that has many threads.
  public static func raise() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = min(limit.rlim_max, max(limit.rlim_cur, wanted))
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
