import Glibc

/// The limit of files and sockets that a process may have open.
public enum DescriptorLimit {
  /// Four times the default limit of connections, and enough for a test with thousands of worlds and servers: an empty
  /// world has three files open, a server a dozen.
  private static let wanted: rlim_t = 65_536

  /// Raises the limit as far as this process may. Many systems start with 1024 for programs that use select(2), which
  /// cannot handle more.
  public static func raise() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = min(limit.rlim_max, max(limit.rlim_cur, wanted))
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
