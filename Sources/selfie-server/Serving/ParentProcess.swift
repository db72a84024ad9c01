import CLinux
import Glibc
import Platform

/// The process that has started this one.
enum ParentProcess {
  /// Asks this process to end, as SIGTERM does, as soon as the parent has ended, however it did.
  ///
  /// A descriptor of the process tells it (pidfd_open(2)). The signal that prctl(2) can ask for comes too early for a
  /// parent with threads: when the one ends that has started this process.
  ///
  /// - Parameter pid: the parent as it knows itself: one that has ended already cannot be told from the one that the
  ///   system has put in its place.
  static func endWithIt(pid: pid_t?) throws(ConfigurationError) {
    let descriptor = clinux_pidfd_open(pid ?? getppid())
    guard descriptor >= 0 else {
      throw ConfigurationError(
        "--exit-with-parent: the parent process cannot be watched: \(String(cString: strerror(errno))).")
    }
    let thread = try? Thread(named: "parent") {
      var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      while poll(&watched, 1, -1) < 0 && errno == EINTR {}
      kill(getpid(), SIGTERM)
    }
    guard thread != nil else {
      throw ConfigurationError("--exit-with-parent: there is no thread to watch the parent process.")
    }
  }
}
