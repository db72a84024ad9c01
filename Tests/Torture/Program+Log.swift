import Foundation
import Glibc
import TestSupport

extension Program {
  /// What the programs of a build with sanitizers read.
  static var sanitizerOptions: [String: String] {
    ProcessInfo.processInfo.environment.filter { $0.key.hasSuffix("SAN_OPTIONS") }
  }

  private static let path = "/usr/sbin:/usr/bin:/sbin:/bin"

  /// Runs a command of the system to its end, which must be a good one.
  static func run(_ command: [String], log: String) throws {
    _ = try output(of: command, log: log)
  }

  /// What a command of the system prints.
  static func output(of command: [String], log: String) throws -> [UInt8] {
    let (program, output) = try start(command, log: log)
    let bytes = output.rest()
    guard program.end() == 0 else { throw Violation("\(command.joined(separator: " ")) fails; see \(log)") }
    return bytes
  }

  /// Starts a command that is looked for in the usual places. It ends with the thread that calls this.
  static func start(
    _ command: [String], environment: [String: String] = [:], input: Int32? = nil, log: String
  ) throws -> (program: Program, output: Output) {
    try start(
      "/usr/bin/env", ["setpriv", "--pdeathsig=KILL"] + command,
      environment: environment.merging(["PATH": path]) { given, _ in given }, input: input, log: log)
  }

  /// Whether it has not ended yet.
  var isRunning: Bool {
    var information = siginfo_t()
    waitid(P_PID, id_t(pid), &information, WEXITED | WNOHANG | WNOWAIT)
    return information.si_signo == 0
  }

  /// A program whose standard error goes to the end of a log.
  static func start(
    _ path: String, _ arguments: [String], environment: [String: String], input: Int32? = nil, log: String
  ) throws -> (program: Program, output: Output) {
    let errors = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard errors >= 0 else { throw Violation("\(log): \(String(cString: strerror(errno)))") }
    let pipe = try ProgramPipe()
    defer { for descriptor in [errors, pipe.writing] { close(descriptor) } }
    let output = Output(pipe.reading)
    let program = try Program(
      path, arguments, environment: environment, input: input, output: pipe.writing, errors: errors)
    return (program, output)
  }
}
