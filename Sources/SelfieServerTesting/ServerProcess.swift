import Foundation

/// How to reach a server that runs.
struct RunningServer: Decodable {
  let url: URL
  let apiAuthName: String
  let apiAuthPassword: String
  /// `NAME:PASSWORD` of the control interface.
  let controlCredentials: String?

  /// A server that was started elsewhere. Its credentials are in the environment, unless they are those of
  /// `serve --ephemeral`.
  init(at address: String, _ environment: [String: String]) throws {
    guard let url = URL(string: address) else {
      throw ControlError(
        status: nil, message: "SELFIE_URL is \(address), but it must be an address such as http://localhost:3000.")
    }
    self.url = url
    apiAuthName = environment["API_AUTH_NAME"] ?? "selfie-tests"
    apiAuthPassword =
      environment["API_AUTH_PASSWORD"] ?? "0000000000000000selfie0server0ephemeral0password0000000000000000"
    controlCredentials = environment["CONTROL_CREDENTIALS"]
  }

  private enum CodingKeys: String, CodingKey {
    case url, apiAuthName = "api_auth_name", apiAuthPassword = "api_auth_password"
    case controlName = "control_name", controlPassword = "control_password"
  }

  /// Reads the file of `--ready-file`.
  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    url = try members.decode(URL.self, forKey: .url)
    apiAuthName = try members.decode(String.self, forKey: .apiAuthName)
    apiAuthPassword = try members.decode(String.self, forKey: .apiAuthPassword)
    let name = try members.decode(String.self, forKey: .controlName)
    controlCredentials = "\(name):\(try members.decode(String.self, forKey: .controlPassword))"
  }
}

/// A server as a child process. It ends with this process, in whatever way that ends.
final class ServerProcess: Sendable {
  let facts: RunningServer
  #if os(Linux) || os(macOS)
    private let process: Process
    private let ended: Task<Void, Never>

    /// - Parameter environment: has the settings of the server.
    static func start(in environment: [String: String]) async throws -> ServerProcess {
      let executable = try await Executable.find(environment)
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("selfie-server-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      return try await ServerProcess(executable, environment, folder)
    }

    /// - Parameter folder: for the time of the start.
    private init(_ executable: URL, _ environment: [String: String], _ folder: URL) async throws {
      let ready = folder.appendingPathComponent("ready.json")
      let process = Process()
      process.executableURL = executable
      process.arguments = [
        "serve", "--ephemeral", "--ready-file", ready.path, "--exit-with-parent", "--parent-pid",
        "\(ProcessInfo.processInfo.processIdentifier)",
      ]
      process.environment = environment
      // Where there are no settings of a checkout.
      process.currentDirectoryURL = folder
      process.standardInput = FileHandle.nullDevice
      // Standard error stays this process's: it says why the server does not start.
      process.standardOutput = FileHandle.nullDevice
      let (ends, end) = AsyncStream.makeStream(of: Never.self)
      process.terminationHandler = { process in
        end.finish()
        let (number, isSignal) = (process.terminationStatus, process.terminationReason == .uncaughtSignal)
        guard isSignal || number != 0 else { return }
        let message = "selfie-server ended \(isSignal ? "by signal" : "with status") \(number).\n"
        FileHandle.standardError.write(Data(message.utf8))
      }
      try process.run()
      let deadline = Date(timeIntervalSinceNow: 60)
      while !FileManager.default.fileExists(atPath: ready.path) {
        guard process.isRunning, Date() < deadline else {
          if process.isRunning { process.terminate() }
          throw ControlError(status: nil, message: "\(executable.path) did not start. Its standard error says why.")
        }
        try? await Task.sleep(nanoseconds: 5_000_000)
      }
      self.process = process
      ended = Task { for await _ in ends {} }
      facts = try JSONDecoder().decode(RunningServer.self, from: Data(contentsOf: ready))
    }

    /// Returns once the server has ended.
    func stop() async {
      process.terminate()
      await ended.value
    }

    /// The process of a server that has ended may be another one by now.
    deinit { if process.isRunning { process.terminate() } }
  #else
    static func start(in environment: [String: String]) async throws -> ServerProcess {
      throw ControlError(
        status: nil,
        message: "A test cannot start a server here. Start one elsewhere, and name its address with SELFIE_URL.")
    }

    private init(_ facts: RunningServer) { self.facts = facts }

    func stop() async {}
  #endif
}

#if os(Linux) || os(macOS)
  /// The executable of the server.
  private enum Executable {
    static func find(_ environment: [String: String]) async throws -> URL {
      if let path = environment["SELFIE_SERVER"] { return URL(fileURLWithPath: path) }
      // In the checkout of the server, its executable is built with the tests, beside them.
      let folders = [Bundle.main.bundleURL.path] + (environment["PATH"] ?? "").split(separator: ":").map(String.init)
      let paths = folders.map { "\($0)/selfie-server" }
      if let path = paths.first(where: FileManager.default.isExecutableFile) { return URL(fileURLWithPath: path) }
      return try await build.value
    }

    /// Builds it from the checkout in which this library is.
    private static let build = Task.detached { () throws -> URL in
      let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
      let message =
        "Neither SELFIE_URL nor SELFIE_SERVER is set, and PATH has no selfie-server. Building it once, in \(root.path), "
        + "takes some minutes.\n"
      FileHandle.standardError.write(Data(message.utf8))
      let (process, output) = (Process(), Pipe())
      process.executableURL = root.appendingPathComponent("bin/build")
      process.standardOutput = output
      try process.run()
      let path = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      guard process.terminationStatus == 0, let last = path.split(separator: "\n").last else {
        throw ControlError(
          status: nil,
          message: "selfie-server could not be built in \(root.path). Set SELFIE_URL or SELFIE_SERVER instead.")
      }
      return URL(fileURLWithPath: String(last))
    }
  }
#endif
