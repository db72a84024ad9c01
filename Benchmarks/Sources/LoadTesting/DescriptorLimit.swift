import Glibc

/// How many descriptors this process may have.
public enum DescriptorLimit {
  /// Raises it as far as the system allows.
  public static func raise() {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    getrlimit(resource, &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(resource, &limit)
  }
}
