import Glibc
import Platform

/// Another program that this one has started, and whose output it reads.
final class ChildProcess: Sendable {
  enum End: Equatable {
    case exited(Int32)
    /// By a signal.
    case killed
    /// It was killed, because it ran for too long.
    case tooSlow
    /// It was killed, because it printed too much.
    case tooMuch
  }

  /// Nil once the process has been reaped: the number may then be another's.
  private let pid: Monitor<pid_t?>
  private let output: OpenFile

  /// Starts a program with no input and without its errors. It inherits no other descriptor, because all of this
  /// program's close themselves.
  ///
  /// - Parameters:
  ///   - arguments: with the program's name as the first.
  ///   - environment: the variables as `NAME=value`.
  init(_ path: String, _ arguments: [String], environment: [String]) throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemError("pipe") }
    // No other thread starts programs, so none can inherit them before that.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    output = OpenFile(owning: ends[0])
    let writing = OpenFile(owning: ends[1])
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, writing.descriptor, STDOUT_FILENO)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)

    // The server's threads block the signals that end it.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

    let words = arguments.map { strdup($0) }
    let variables = environment.map { strdup($0) }
    defer { for pointer in words + variables { free(pointer) } }
    var pid: pid_t = 0
    let error = posix_spawn(&pid, path, &actions, &attributes, words + [nil], variables + [nil])
    guard error == 0 else { throw SystemError("posix_spawn", number: error) }
    self.pid = Monitor(pid)
  }

  /// Kills it, unless it has ended.
  func kill() {
    pid.withLock { pid in
      if let pid { _ = Glibc.kill(pid, SIGKILL) }
    }
  }

  /// Blocks until the process has ended, and returns what it has printed. To be called once.
  func run(maxSeconds: Int64, maxBytes: Int) -> (output: [UInt8], end: End) {
    let deadline = monotonicMilliseconds() + maxSeconds * 1000
    var bytes: [UInt8] = []
    while let chunk = read(until: deadline) {
      if chunk.isEmpty { return (bytes, reap()) }
      bytes += chunk
      guard bytes.count <= maxBytes else {
        kill()
        _ = reap()
        return (bytes, .tooMuch)
      }
    }
    kill()
    _ = reap()
    return (bytes, .tooSlow)
  }

  /// Nothing at the end; nil at the deadline.
  private func read(until deadline: Int64) -> [UInt8]? {
    while true {
      let left = deadline - monotonicMilliseconds()
      guard left > 0 else { return nil }
      var ready = pollfd(fd: output.descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&ready, 1, Int32(clamping: left)) > 0 else { continue }
      return (try? FileSystem.read(output, maxBytes: 64 * 1024, path: "")) ?? []
    }
  }

  private func reap() -> End {
    guard let child = pid.withLock({ $0 }) else { return .killed }
    var information = siginfo_t()
    // Without reaping it, so that `kill` never waits, nor meets a number that is another process's.
    while waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
    return pid.withLock { pid in
      pid = nil
      var status: Int32 = 0
      while waitpid(child, &status, 0) < 0 && errno == EINTR {}
      // WIFEXITED and WEXITSTATUS, which are macros.
      return status & 0x7f == 0 ? .exited(status >> 8 & 0xff) : .killed
    }
  }
}
