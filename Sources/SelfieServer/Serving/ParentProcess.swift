import CLinux
import Glibc
import Platform

/// Sends this process SIGTERM as soon as its parent has ended, in whatever way.
///
/// A descriptor of the process shows when (pidfd_open(2)). The signal of prctl(2) would come too early if the parent has
/// threads: when the thread ends that started this process.
///
/// - Parameter pid: the parent's pid if the parent gave it. A parent that has ended already cannot be told from the process
///   that the system put in its place.
func endWithParent(pid: pid_t?) throws {
  let descriptor = clinux_pidfd_open(pid ?? getppid())
  guard descriptor >= 0 else {
    throw ConfigurationError(
      "--exit-with-parent: the parent process cannot be watched: \(String(cString: strerror(errno))).")
  }
  _ = try Thread(named: "parent") {
    var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&watched, 1, -1) < 0 && errno == EINTR {}
    kill(getpid(), SIGTERM)
  }
}
