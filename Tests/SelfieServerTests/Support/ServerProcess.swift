import Cryptography
import Foundation
import Glibc
import HTTPMessages
import Platform
import SQLite
import SelfieTestControl
import TestSupport
import Testing
import Torture

/// The real program, `selfie-server`, in a working folder of its own. One whose end no test has asked for is stopped with
/// the last reference to it, and must end in order.
final class ServerProcess: Sendable {
  let folder: TemporaryFolder
  private let environment: [String: String]
  let output: Lines
  let errors: Lines
  private let program: Program
  /// Waits for its end.
  private let waiter: Platform.Thread
  private let ended: AsyncStream<Int32>
  /// How it has ended; nil while it runs.
  private let end = Monitor<Int32?>(nil)
  private let isAskedForEnd = Monitor(false)

  static let executable = product("selfie-server")
  /// The product that can keep everything in PostgreSQL and S3.
  static let clusterExecutable = product("selfie-server-cluster")

  /// Where `swift build` has put a product: beside the program of the tests.
  private static func product(_ name: String) -> String {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent(name).path
  }

  /// - Parameters:
  ///   - environment: besides a free port and cheap passwords.
  ///   - folder: the working folder; a new one if nil.
  ///   - shell: what a shell does before it becomes the program.
  ///   - hasHome: whether a storage may be made in the working folder, as in a checkout.
  ///   - passing: a descriptor that is its descriptor 3.
  init(
    _ arguments: [String] = ["serve"], of executable: String = ServerProcess.executable,
    environment: [String: String] = [:], in folder: TemporaryFolder? = nil,
    input: String? = nil, shell: String? = nil, hasHome: Bool = true, passing: Int32? = nil
  ) throws {
    let folder = try folder ?? TemporaryFolder()
    self.folder = folder
    self.environment = environment
    let takesHome = hasHome && arguments.first.map { !$0.hasPrefix("-") } ?? false
    let arguments = takesHome ? arguments + ["--home", "."] : arguments
    let text = Array((input ?? "").utf8)
    let (standardOutput, standardError, standardInput) = (try ProgramPipe(), try ProgramPipe(), try ProgramPipe())
    defer {
      for descriptor in [standardInput.reading, standardOutput.writing, standardError.writing] { close(descriptor) }
    }
    // Before there is a reader that could have gone; a pipe takes as much as this at once.
    guard write(standardInput.writing, text, text.count) == text.count else { throw NotPossible("write") }
    close(standardInput.writing)
    program = try Program(
      shell == nil ? executable : "/bin/sh",
      shell.map { ["-c", "\($0); exec \"$0\" \"$@\"", executable] + arguments } ?? arguments,
      environment: [
        "PATH": "/usr/bin:/bin", "PORT": "0",
        "PASSWORD_COST": "\(PasswordHash.costs.lowerBound)",
      ].merging(environment) { $1 },
      in: folder.path, input: standardInput.reading, output: standardOutput.writing, errors: standardError.writing,
      passing: passing)
    let (ended, ends) = AsyncStream<Int32>.makeStream()
    self.ended = ended
    waiter = try Platform.Thread(named: "program") { [program, end] in
      let status = program.end()
      end.withLock { $0 = status }
      end.notifyAll()
      ends.yield(status)
      ends.finish()
    }
    output = try Lines(of: standardOutput.reading)
    errors = try Lines(of: standardError.reading)
  }

  deinit {
    let isToStop = isAskedForEnd.withLock { !$0 }
    if isToStop {
      program.signal(SIGTERM)
      // One that hangs must not hang the other tests.
      #expect(end.wait(until: monotonicMilliseconds() + 60_000) { $0 } == 0)
    }
    program.signal(SIGKILL)
    waiter.join()
  }

  var pid: Int32 { program.pid }

  func signal(_ number: Int32) { program.signal(number) }

  /// The status with which it exits, or the number of the signal that ends it, made negative. Once only.
  func status() async -> Int32? {
    isAskedForEnd.withLock { $0 = true }
    let status = await ended.first { _ in true }
    // Without one the test's time is over: those that wait for the process to close its pipes must not wait for ever.
    if status == nil { signal(SIGKILL) }
    return status
  }

  /// Ends it as `docker stop` does.
  func stop() async {
    signal(SIGTERM)
    #expect(await status() == 0)
  }

  /// Kills it as the kernel does, or a power failure.
  func kill() async {
    signal(SIGKILL)
    #expect(await status() == -SIGKILL)
  }

  // MARK: - A server

  /// Waits until it listens.
  func listening() async throws -> ServerProcess {
    _ = try await port()
    return self
  }

  func port() async throws -> Int {
    guard let line = await output.first(where: { $0.hasPrefix("Listening on ") }) else {
      throw NotPossible("It does not listen: \(await errors.all())")
    }
    return try #require(line.split(separator: ":").last.flatMap { Int($0) })
  }

  /// Without a path.
  func origin() async throws -> String { "http://127.0.0.1:\(try await port())" }

  /// The app, set up with the credentials from the environment, or those in `storage/credentials.env`.
  func app(token: String? = nil) async throws -> TutorialApp {
    let origin = try await origin()
    func value(_ name: String) throws -> String {
      if let value = environment[name] { return value }
      let lines = try folder.text(of: "storage/credentials.env").split(separator: "\n")
      return String(try #require(lines.first { $0.hasPrefix("\(name)=") }).dropFirst(name.count + 1))
    }
    return try TutorialApp(
      origin, name: value("API_AUTH_NAME"), password: value("API_AUTH_PASSWORD"), token: token)
  }

  /// The app, signed up and in.
  func appOfNewUser(_ email: String = "jane@example.com") async throws -> TutorialApp {
    let app = try await app()
    try await app.makeUser(email)
    return app
  }

  /// The response to a request on a connection of its own.
  ///
  /// - Parameter request: such as `GET /up`.
  func response(
    to request: String, _ fields: [String] = ["Host: a"], body: String = "", at port: Int? = nil,
    host: String = "127.0.0.1"
  ) async throws -> RawResponse {
    let port = if let port { port } else { try await self.port() }
    let client = try await RawClient.connect(to: port, host: host)
    defer { client.close() }
    let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
    let head = (["\(request) HTTP/1.1"] + fields + length).joined(separator: "\r\n")
    return try await client.response(to: "\(head)\r\n\r\n\(body)", hasBody: !request.hasPrefix("HEAD "))
  }

  /// The response to a fault of connections that is to last a second.
  func response(toFault fault: String) async throws -> RawResponse {
    try await response(
      to: "POST /__admin/faults/connections",
      ["Host: 127.0.0.1:\(try await port())", "Content-Type: application/json"],
      body: #"{"fault":"\#(fault)","for":"1s"}"#)
  }

  /// The folder of one that keeps nothing.
  func ephemeralFolder() throws -> String {
    try #require(EphemeralFolder.running.first { $0.contains("-ephemeral-\(pid)-") })
  }

  /// Waits for a line of the log.
  @discardableResult
  func logged(_ words: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> String {
    try #require(await errors.first { $0.contains(words) }, "\(words)", sourceLocation: sourceLocation)
  }

  // MARK: - A command

  /// What became of a run that ends by itself.
  struct Outcome {
    let status: Int32?
    let output: [String]
    let errors: [String]

    /// Everything on standard error.
    var message: String { errors.joined(separator: "\n") }

    /// What it has printed with --json.
    func json<Value>(_ type: Value.Type = [[String: Any]].self) throws -> Value {
      let value = try JSONSerialization.jsonObject(with: Data(output.joined(separator: "\n").utf8))
      return try #require(value as? Value, "\(self)")
    }

    /// As `json`, as a value of the program.
    func value<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
      try JSONReader.decode(from: Array(output.joined(separator: "\n").utf8))
    }
  }

  /// Runs the program to its end.
  ///
  /// - Parameters:
  ///   - status: the expected one.
  ///   - parts: what is expected on standard error, among other things.
  @discardableResult
  static func run(
    _ arguments: [String] = ["serve"], of executable: String = ServerProcess.executable,
    environment: [String: String] = [:], in folder: TemporaryFolder? = nil,
    input: String? = nil, shell: String? = nil, hasHome: Bool = true, status: Int32? = 0, saying parts: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Outcome {
    let process = try ServerProcess(
      arguments, of: executable, environment: environment, in: folder, input: input, shell: shell, hasHome: hasHome)
    return await process.outcome(status, saying: parts, sourceLocation)
  }

  /// What became of it, as it is expected.
  func outcome(
    _ status: Int32? = 0, saying parts: [String] = [], _ sourceLocation: SourceLocation = #_sourceLocation
  ) async -> Outcome {
    let outcome = Outcome(status: await self.status(), output: await output.all(), errors: await errors.all())
    #expect(outcome.status == status, "\(outcome)", sourceLocation: sourceLocation)
    for part in parts { #expect(outcome.message.contains(part), "\(outcome)", sourceLocation: sourceLocation) }
    return outcome
  }
}

extension TemporaryFolder {
  /// Runs the program in it, with the words of a command line, to its end, of which is expected what `ServerProcess.run`
  /// expects.
  @discardableResult
  func run(
    _ words: String, environment: [String: String] = [:], input: String? = nil, status: Int32 = 0,
    saying parts: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> ServerProcess.Outcome {
    try await ServerProcess(
      words.split(separator: " ").map(String.init), environment: environment, in: self, input: input
    ).outcome(status, saying: parts, sourceLocation)
  }

  /// Runs a shell's command in it; `$0` is the server.
  @discardableResult
  func shell(
    _ command: String, status: Int32? = 0, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> ServerProcess.Outcome {
    let process = try ServerProcess([], in: self, shell: "exec \(command)", hasHome: false)
    return await process.outcome(status, saying: [], sourceLocation)
  }

  /// Copies files that are to be executed, into a folder.
  ///
  /// cp(1) does it. If this process did, a program that another test starts meanwhile would have the copy open for writing
  /// until its own exec, and the copy could not be executed (ETXTBSY, execve(2)).
  func copyExecutables(_ files: [String], to name: String = "") throws {
    let program = try Program(
      "/bin/cp", files + ["\(path)/\(name)"], environment: [:], output: STDOUT_FILENO, errors: STDERR_FILENO)
    try #require(program.end() == 0)
  }

  /// Runs a statement on the database of its storage.
  func execute(_ sql: String) throws {
    let connection = try Connection(path: "\(path)/storage/selfie.sqlite3", mode: .readWrite)
    try connection.execute(sql)
    connection.close()
  }
}
