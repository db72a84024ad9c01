import CSpawn
import Foundation
import Glibc
import Platform

/// A process of a program. It is killed with the last reference to it.
///
/// By posix_spawn(3): Foundation's `Process` crashes the process that uses it at times.
package final class Program: Sendable {
  package let pid: pid_t
  /// Whether its end was taken note of; from then on the system may give its number to another process.
  private let hasEnded = Monitor(false)

  /// Writing to a program that has ended is an error, and not the end of this process.
  private static let brokenPipesAreErrors: Void = { _ = Glibc.signal(SIGPIPE, SIG_IGN) }()

  /// What the programs of a build with sanitizers read.
  private static var sanitizerOptions: [String: String] {
    ProcessInfo.processInfo.environment.filter { $0.key.hasSuffix("SAN_OPTIONS") }
  }

  /// - Parameters:
  ///   - environment: its variables, besides the options of sanitizers.
  ///   - folder: its working folder; nil for the one of this process.
  ///   - input: a descriptor; nil for nothing.
  ///   - output: a descriptor, as is `errors`. All stay open here, and it has no others but `passing`.
  ///   - passing: a descriptor that is its descriptor 3, as systemd passes sockets.
  package init(
    _ path: String, _ arguments: [String], environment: [String: String], in folder: String? = nil,
    input: Int32? = nil, output: Int32, errors: Int32, passing: Int32? = nil
  ) throws {
    Self.brokenPipesAreErrors
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let folder { cspawn_change_folder(&actions, folder) }
    if let input {
      posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    }
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
    // The end of another program's pipe would keep its reader waiting.
    let firstPassed = STDERR_FILENO + 1
    if let passing { posix_spawn_file_actions_adddup2(&actions, passing, firstPassed) }
    cspawn_close_from(&actions, passing == nil ? firstPassed : firstPassed + 1)

    // A process inherits the signals that the thread which starts it holds back, and Swift's own threads hold back many.
    var (attributes, none) = (posix_spawnattr_t(), sigset_t())
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

    let texts = ([path] + arguments).map { strdup($0) } + [nil]
    let environment = environment.merging(Self.sanitizerOptions) { given, _ in given }
    let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in texts + variables { free(text) } }
    var pid: pid_t = 0
    let code = posix_spawn(&pid, path, &actions, &attributes, texts, variables)
    guard code == 0 else { throw NotPossible("\(path) cannot be started: \(String(cString: strerror(code)))") }
    self.pid = pid
  }

  deinit {
    signal(SIGKILL)
    if !hasEnded.withLock({ $0 }) { _ = end() }
  }

  /// Does nothing once it has ended.
  package func signal(_ number: Int32) {
    hasEnded.withLock { hasEnded in
      if !hasEnded { kill(pid, number) }
    }
  }

  /// Waits for its end: the status with which it exits, or the number of the signal that ends it, made negative.
  /// Once only.
  package func end() -> Int32 {
    var information = siginfo_t()
    while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) < 0 && errno == EINTR {}
    return hasEnded.withLock { hasEnded in
      var status: Int32 = 0
      waitpid(pid, &status, 0)
      hasEnded = true
      return status & 0x7f == 0 ? (status >> 8) & 0xff : -(status & 0x7f)
    }
  }
}

/// A pipe; neither end is inherited.
package struct ProgramPipe: Sendable {
  package let reading: Int32
  package let writing: Int32

  package init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemError("pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (reading, writing) = (ends[0], ends[1])
  }
}
