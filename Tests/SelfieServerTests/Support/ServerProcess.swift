import Cryptography
import Foundation
import Glibc
import Platform
import TestSupport
import Testing
import Torture

/// The real program, `selfie-server`, in a working folder of its own. It is killed with the last reference to it.
final class ServerProcess: Sendable {
  let folder: TemporaryFolder
  let output: Lines
  let errors: Lines
  private let program: Program
  /// Waits for its end.
  private let waiter: Platform.Thread
  private let ended: AsyncStream<Int32>

  static let executable = product("selfie-server")
  /// The product that can keep everything in PostgreSQL and S3.
  static let clusterExecutable = product("selfie-server-cluster")

  /// Where `swift build` has put a product: beside the program of the tests.
  private static func product(_ name: String) -> String {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent(name).path
  }

  /// - Parameters:
  ///   - hasHome: whether a storage may be made in the working folder, as in a checkout.
  ///   - environment: besides a free port and cheap passwords.
  ///   - shell: what a shell does before it becomes the program.
  ///   - passing: a descriptor that is its descriptor 3.
  init(
    _ arguments: [String] = ["serve"], of executable: String = ServerProcess.executable,
    environment: [String: String] = [:], in folder: TemporaryFolder,
    input: String? = nil, shell: String? = nil, hasHome: Bool = true, passing: Int32? = nil
  ) throws {
    self.folder = folder
    let takesHome = hasHome && arguments.first.map { !$0.hasPrefix("-") } ?? false
    let arguments = takesHome ? arguments + ["--home", "."] : arguments
    let text = Array((input ?? "").utf8)
    let (standardOutput, standardError, standardInput) = (try ProgramPipe(), try ProgramPipe(), try ProgramPipe())
    defer {
      for descriptor in [standardInput.reading, standardOutput.writing, standardError.writing] { close(descriptor) }
    }
    // Before there is a reader that could have gone; a pipe takes as much as this at once.
    guard write(standardInput.writing, text, text.count) == text.count else { throw NotListening(errors: ["write"]) }
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
    let (ended, end) = AsyncStream<Int32>.makeStream()
    self.ended = ended
    waiter = try Platform.Thread(named: "program") { [program] in
      end.yield(program.end())
      end.finish()
    }
    output = try Lines(of: standardOutput.reading)
    errors = try Lines(of: standardError.reading)
  }

  deinit {
    program.signal(SIGKILL)
    waiter.join()
  }

  var pid: Int32 { program.pid }

  func signal(_ number: Int32) { program.signal(number) }

  /// The status with which it exits, or the number of the signal that ends it, made negative. Once only.
  func status() async -> Int32? {
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

  /// The port, once it listens.
  func port() async throws -> Int {
    guard let line = await output.first(where: { $0.hasPrefix("Listening on ") }) else {
      throw NotListening(errors: await errors.all())
    }
    return try #require(line.split(separator: ":").last.flatMap { Int($0) })
  }

  struct NotListening: Error {
    let errors: [String]
  }

  /// The app, set up with what `storage/credentials.env` says.
  func app() async throws -> TutorialApp {
    let port = try await port()
    let text = try folder.text(of: "storage/credentials.env")
    func value(_ name: String) throws -> String {
      let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("\(name)=") })
      return String(line.dropFirst(name.count + 1))
    }
    return TutorialApp(
      helper: HTTPHelper(
        apiAuthName: try value("API_AUTH_NAME"), apiAuthPassword: try value("API_AUTH_PASSWORD"),
        baseURL: "http://127.0.0.1:\(port)/api"))
  }

  /// The app, signed up and in.
  func appOfNewUser(_ email: String = "jane@example.com") async throws -> TutorialApp {
    let app = try await app()
    try await app.makeSignUpRequest(name: "Jane Doe", email: email, password: "secret12")
    try await app.makeSignInRequest(email: email, password: "secret12")
    return app
  }

  /// What became of a run that ends by itself.
  struct Outcome {
    let status: Int32?
    let output: [String]
    let errors: [String]

    /// Everything on standard error.
    var message: String { errors.joined(separator: "\n") }
  }

  static func run(
    _ arguments: [String] = ["serve"], of executable: String = ServerProcess.executable,
    environment: [String: String] = [:], in folder: TemporaryFolder,
    input: String? = nil, shell: String? = nil, hasHome: Bool = true
  ) async throws -> Outcome {
    let process = try ServerProcess(
      arguments, of: executable, environment: environment, in: folder, input: input, shell: shell, hasHome: hasHome)
    return Outcome(
      status: await process.status(), output: await process.output.all(), errors: await process.errors.all())
  }
}
