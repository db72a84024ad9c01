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

    /// - Parameter settings: of the server, beside those in the environment.
    static func start(_ settings: [String: String], in environment: [String: String]) async throws -> ServerProcess {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("selfie-server-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      return try await ServerProcess(
        StartCommand(settings, environment, folder.appendingPathComponent("ready")), folder)
    }

    /// - Parameter folder: for the time of the start.
    private init(_ command: StartCommand, _ folder: URL) async throws {
      let process = Process()
      process.executableURL = command.executable
      process.arguments = command.arguments
      process.environment = command.environment
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
      // An image may have to be pulled first.
      let deadline = Date(timeIntervalSinceNow: 300)
      while !FileManager.default.fileExists(atPath: command.ready.path) {
        guard process.isRunning, Date() < deadline else {
          if process.isRunning { process.terminate() }
          throw ControlError(status: nil, message: "\(command.name) did not start. Its standard error says why.")
        }
        try? await Task.sleep(nanoseconds: 5_000_000)
      }
      self.process = process
      ended = Task { for await _ in ends {} }
      facts = try command.facts(Data(contentsOf: command.ready))
    }

    /// Returns once the server has ended.
    func stop() async {
      process.terminate()
      await ended.value
    }

    /// The process of a server that has ended may be another one by now.
    deinit { if process.isRunning { process.terminate() } }
  #else
    static func start(_ settings: [String: String], in environment: [String: String]) async throws -> ServerProcess {
      throw ControlError(
        status: nil,
        message: "A test cannot start a server here. Start one elsewhere, and name its address with SELFIE_URL.")
    }

    private init(_ facts: RunningServer) { self.facts = facts }

    func stop() async {}
  #endif
}

#if os(Linux) || os(macOS)
  /// Starts a server, which writes a file when it is ready.
  private struct StartCommand {
    /// What the server is called in messages.
    let name: String
    let executable: URL
    let arguments: [String]
    let environment: [String: String]
    let ready: URL
    /// Reads the file.
    let facts: (Data) throws -> RunningServer

    init(_ settings: [String: String], _ environment: [String: String], _ ready: URL) async throws {
      let pid = "\(ProcessInfo.processInfo.processIdentifier)"
      var environment = environment.merging(settings) { $1 }
      self.ready = ready
      guard environment["SELFIE_SERVER"] == nil, let image = environment["SELFIE_IMAGE"] else {
        executable = try await Self.findExecutable(environment)
        name = executable.path
        arguments = [
          "serve", "--ephemeral", "--ready-file", ready.path, "--exit-with-parent", "--parent-pid", pid,
        ]
        self.environment = environment
        facts = { try JSONDecoder().decode(RunningServer.self, from: $0) }
        return
      }
      (name, executable) = (image, URL(fileURLWithPath: "/bin/sh"))
      let password = UUID().uuidString
      environment.merge(
        ["CONTROL_NAME": "tests", "CONTROL_PASSWORD": password, "CONTROL_CREDENTIALS": "tests:\(password)"]) { $1 }
      // The container gets their values from the environment. Its own port is always that of the image.
      let names = ["API_AUTH_NAME", "API_AUTH_PASSWORD", "CONTROL_NAME", "CONTROL_PASSWORD"] + settings.keys
      let port = settings["PORT"] ?? "0"
      arguments =
        ["-c", Self.runImage, environment["SELFIE_DOCKER"] ?? "docker", "selfie-\(UUID().uuidString)", pid, ready.path]
        + names.filter { $0 != "PORT" }.flatMap { ["--env", $0] }
        + ["--publish", "127.0.0.1:\(port == "0" ? "" : port):3000", image, "serve", "--ephemeral"]
      self.environment = environment
      facts = { [environment] in
        try RunningServer(at: "http://\(String(decoding: $0, as: UTF8.self).dropLast())", environment)
      }
    }

    /// Runs a container, writes its address to the file, and stops it on SIGTERM and when this process has ended.
    private static let runImage = """
      PATH="$PATH:/usr/local/bin:/opt/homebrew/bin" name="$1" parent="$2" ready="$3"
      shift 3
      trap '' INT
      "$0" run --rm --name "$name" --shm-size 1g "$@" &
      trap 'kill $!' TERM
      {
        until "$0" exec "$name" selfie-server health && "$0" port "$name" 3000 >"$ready.partial"; do
          kill -0 $! || exit
          sleep 0.1
        done
        mv "$ready.partial" "$ready"
        while kill -0 "$parent" && kill -0 $!; do sleep 0.1; done
        while kill $!; do sleep 0.1; done
      } >/dev/null 2>&1
      wait $!
      """

    private static func findExecutable(_ environment: [String: String]) async throws -> URL {
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
        "SELFIE_URL, SELFIE_SERVER and SELFIE_IMAGE are not set, and PATH has no selfie-server. "
        + "Building it once, in \(root.path), takes some minutes.\n"
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
          message:
            "selfie-server could not be built in \(root.path). Set SELFIE_URL, SELFIE_SERVER or SELFIE_IMAGE instead.")
      }
      return URL(fileURLWithPath: String(last))
    }
  }
#endif
