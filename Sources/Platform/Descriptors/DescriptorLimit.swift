import Glibc

// Raises the limit of files that this process may have open. `DescriptorBudget` divides it.

/// Four times the default limit of connections. It is also enough for a process with thousands of worlds and servers:
/// an empty world has three files open, a server a dozen.
private let wantedDescriptors: rlim_t = 65_536

/// Raises the limit of files and sockets that this process may have open, as far as it may. Many systems start with 1024
/// for programs that use select(2), which cannot handle more.
package func raiseDescriptorLimit() throws(ConfigurationError) {
  var limit = rlimit()
  guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
  // With fewer, the database, a backup or the Swift runtime may fail anywhere.
  guard limit.rlim_max >= 64 else {
    throw ConfigurationError("Only \(limit.rlim_max) files may be open at once. Allow 1024: ulimit -n 1024")
  }
  limit.rlim_cur = min(limit.rlim_max, max(limit.rlim_cur, wantedDescriptors))
  setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}
