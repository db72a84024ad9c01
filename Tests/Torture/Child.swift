import Foundation
import Glibc
import TestSupport

/// A program that runs for a trial. What it writes to standard output is read by a thread that may wait; its standard
/// error goes to the end of a log.
final class Child {
  private let name: String
  private let log: String
  private let program: Program
  private let descriptor: Int32
  private var received: [UInt8] = []

  init(_ path: String, _ arguments: [String], environment: [String: String], input: Int32? = nil, log: String) throws {
    let errors = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard errors >= 0 else { throw Violation("\(log): \(String(cString: strerror(errno)))") }
    let pipe = try ProgramPipe()
    defer { for descriptor in [errors, pipe.writing] { close(descriptor) } }
    name = ([path] + arguments).joined(separator: " ")
    self.log = log
    descriptor = pipe.reading
    program = try Program(
      path, arguments, environment: environment, input: input, output: pipe.writing, errors: errors)
  }

  /// A command that is looked for in the usual places. It ends with the thread that calls this.
  convenience init(command: [String], environment: [String: String] = [:], input: Int32? = nil, log: String) throws {
    try self.init(
      "/usr/bin/env", ["setpriv", "--pdeathsig=KILL"] + command,
      environment: environment.merging(["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]) { given, _ in given }, input: input,
      log: log)
  }

  /// Runs a command to its end, which must be a good one, and returns what it prints.
  @discardableResult
  static func run(_ command: [String], log: String) throws -> [UInt8] {
    let child = try Child(command: command, log: log)
    let output = child.rest()
    guard child.end() == 0 else { throw Violation("\(command.joined(separator: " ")) fails; see \(log)") }
    return output
  }

  deinit {
    close(descriptor)
  }

  // MARK: - What it prints

  /// The next line; nil at the end, or when nothing comes for five minutes.
  func line() -> String? {
    while true {
      if let lineFeed = received.firstIndex(of: UInt8(ascii: "\n")) {
        defer { received.removeFirst(lineFeed + 1) }
        return String(decoding: received[..<lineFeed], as: UTF8.self)
      }
      guard receive() else { return nil }
    }
  }

  /// All that is left, to the end.
  func rest() -> [UInt8] {
    while receive() {}
    return received
  }

  private func receive() -> Bool {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&wanted, 1, 300_000) > 0 else { return false }
    var block = [UInt8](repeating: 0, count: 64 * 1024)
    let count = read(descriptor, &block, block.count)
    guard count > 0 else { return false }
    received += block[..<count]
    return true
  }

  // MARK: - Its end

  var pid: pid_t { program.pid }

  /// Whether it has not ended yet.
  var isRunning: Bool {
    var information = siginfo_t()
    waitid(P_PID, id_t(pid), &information, WEXITED | WNOHANG | WNOWAIT)
    return information.si_signo == 0
  }

  func signal(_ number: Int32) { program.signal(number) }

  func end() -> Int32 { program.end() }

  /// Ends it at once, as a crash does. It must have run until then.
  func kill() throws { try end(by: SIGKILL, status: -SIGKILL) }

  /// Ends it in order.
  func stop() throws { try end(by: SIGTERM, status: 0) }

  private func end(by signal: Int32, status wanted: Int32) throws {
    program.signal(signal)
    let status = program.end()
    guard status == wanted else { throw Violation("\(name) ended with \(status), not \(wanted); see \(log)") }
  }
}
