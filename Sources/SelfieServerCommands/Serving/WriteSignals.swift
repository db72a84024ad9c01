import Glibc

/// The signals of writes that fail. Commands ignore them, and look at the error of the write instead.
enum WriteSignals {
  static func ignore() {
    // From a pipe or a socket that nobody reads.
    signal(SIGPIPE, SIG_IGN)
    // From a file at the size limit (RLIMIT_FSIZE), which is to be treated like a full disk.
    signal(SIGXFSZ, SIG_IGN)
  }
}
