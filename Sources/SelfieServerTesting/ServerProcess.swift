import Foundation
import SelfieTestDocuments

/// A server as a child process. It ends with this process, in whatever way that ends. `SelfieServer` decides whether
/// one is needed, and with which settings.
final class ServerProcess: Sendable {
  let address: String
  /// That of its control interface; nil if it is the same.
  let controlAddress: String?
  /// Of the server, with its credentials.
  let environment: [String: String]
  #if os(Linux) || os(macOS)
    private let process: Process
    private let ended: Task<Void, Never>
    private let errors: LastLines

    /// - Parameters:
    ///   - settings: of the server, beside those in the environment.
    ///   - arguments: of the server.
    static func start(
      _ settings: [String: String], _ arguments: [String], in environment: [String: String]
    ) async throws -> ServerProcess {
      removeLeftFolders()
      let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("\(folderPrefix)\(ProcessInfo.processInfo.processIdentifier)-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let credentials = ["CONTROL_NAME": "tests", "CONTROL_PASSWORD": UUID().uuidString]
      var environment = credentials.merging(environment) { $1 }.merging(settings) { $1 }
      environment["CONTROL_CREDENTIALS"] = ["CONTROL_NAME", "CONTROL_PASSWORD"].compactMap { environment[$0] }
        .joined(separator: ":")
      let ready = folder.appendingPathComponent("ready.json").path
      let pid = "\(ProcessInfo.processInfo.processIdentifier)"
      let process = Process()
      if environment["SELFIE_SERVER"] ?? "" == "", let image = environment["SELFIE_IMAGE"] {
        // The container's own port is always that of the image.
        let names = credentials.keys + ["API_AUTH_NAME", "API_AUTH_PASSWORD"] + settings.keys.filter { $0 != "PORT" }
        let port = settings["PORT"].map { $0 == "0" ? "" : $0 } ?? ""
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments =
          ["-c", runImage, environment["SELFIE_DOCKER"] ?? "docker", "selfie-\(UUID().uuidString)", pid, ready]
          + names.flatMap { ["--env", $0] }
          + [
            "--env", "CONTROL_ADDRESS=0.0.0.0:3001", "--publish", "127.0.0.1:\(port):3000", "--publish",
            "127.0.0.1::3001",
          ]
          + [image, "serve", "--ephemeral"] + arguments
      } else {
        process.executableURL = try await executable(environment)
        process.arguments =
          [
            "serve", "--ephemeral", "--ready-file", ready, "--exit-with-parent", "--parent-pid", pid,
          ] + arguments
      }
      process.environment = environment
      return try await ServerProcess(process, folder, ready)
    }

    private static let folderPrefix = "selfie-server-start-"

    /// Removes the folders of processes that were killed while a server started.
    private static func removeLeftFolders() {
      let parent = FileManager.default.temporaryDirectory
      for name in (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? [] {
        guard name.hasPrefix(folderPrefix),
          let pid = pid_t(name.dropFirst(folderPrefix.count).prefix { $0 != "-" }), kill(pid, 0) != 0, errno == ESRCH
        else { continue }
        try? FileManager.default.removeItem(at: parent.appendingPathComponent(name))
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
        until "$0" exec "$name" selfie-server health && url="http://$("$0" port "$name" 3000)" \\
          && control="http://$("$0" port "$name" 3001)"; do
          kill -0 $! && sleep 0.1 || exit
        done
        echo "{\\"url\\":\\"$url\\",\\"control_url\\":\\"$control\\"}" >"$ready.partial"
        mv "$ready.partial" "$ready"
        while kill -0 "$parent" && kill -0 $!; do sleep 0.1; done
        while kill $!; do sleep 0.1; done
      } >/dev/null 2>&1
      wait $!
      """

    /// The executable of the server.
    private static func executable(_ environment: [String: String]) async throws -> URL {
      if let path = environment["SELFIE_SERVER"], !path.isEmpty {
        guard FileManager.default.isExecutableFile(atPath: path), !isFolder(path) else {
          throw ControlError(
            status: nil,
            message: """
              SELFIE_SERVER is \(path), which is no executable file. A relative path begins in \
              \(FileManager.default.currentDirectoryPath).
              """)
        }
        return URL(fileURLWithPath: path)
      }
      // In the checkout of the server, its executable is built with the tests, beside them.
      let folders = [Bundle.main.bundleURL.path] + (environment["PATH"] ?? "").split(separator: ":").map(String.init)
      let paths = folders.map { "\($0)/selfie-server" }
      if let path = paths.first(where: FileManager.default.isExecutableFile) { return URL(fileURLWithPath: path) }
      return try await built.value
    }

    private static func isFolder(_ path: String) -> Bool {
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    /// Builds it from the checkout in which this library is.
    private static let built = Task.detached { () throws -> URL in
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

    /// - Parameter folder: for the time of the start.
    private init(_ process: Process, _ folder: URL, _ ready: String) async throws {
      // Where there are no settings of a checkout.
      process.currentDirectoryURL = folder
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      let errors = LastLines()
      process.standardError = errors.pipe
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
      while !FileManager.default.fileExists(atPath: ready) {
        guard process.isRunning, Date() < deadline else {
          if process.isRunning { process.terminate() }
          throw ControlError(status: nil, message: "The server did not start. \(await errors.text)")
        }
        try? await Task.sleep(nanoseconds: 5_000_000)
      }
      (self.process, self.errors) = (process, errors)
      ended = Task { for await _ in ends {} }
      let json = try Data(contentsOf: URL(fileURLWithPath: ready))
      let written = try JSONDecoder().decode([String: JSONValue].self, from: json)
      address = written["url"]?.text ?? ""
      controlAddress = written["control_url"]?.text
      environment = process.environment ?? [:]
    }

    /// Returns once the server has ended.
    func stop() async {
      process.terminate()
      await ended.value
    }

    /// The process of a server that has ended may be another one by now.
    deinit { if process.isRunning { process.terminate() } }
  #else
    static func start(
      _ settings: [String: String], _ arguments: [String], in environment: [String: String]
    ) async throws -> ServerProcess {
      throw ControlError(
        status: nil,
        message: "A test cannot start a server here. Start one elsewhere, and name its address with SELFIE_URL.")
    }

    private init() { (address, controlAddress, environment) = ("", nil, [:]) }

    func stop() async {}
  #endif
}

#if os(Linux) || os(macOS)
  /// Passes the standard error of a process on to this one's, and keeps its last lines.
  private final class LastLines: @unchecked Sendable {
    let pipe = Pipe()
    private let lock = NSLock()
    private var bytes = Data()
    private var hasEnded = false

    private static let maxBytes = 8192
    private static let maxLines = 20

    init() {
      pipe.fileHandleForReading.readabilityHandler = { [weak self] handle in
        let data = handle.availableData
        if data.isEmpty { handle.readabilityHandler = nil } else { FileHandle.standardError.write(data) }
        self?.add(data)
      }
    }

    /// - Parameter data: empty at the end.
    private func add(_ data: Data) {
      lock.withLock {
        hasEnded = data.isEmpty
        bytes.append(data)
        bytes = Data(bytes.suffix(Self.maxBytes))
      }
    }

    /// The last lines of a process that has ended.
    var text: String {
      get async {
        // A process that it has started may keep the pipe open.
        for _ in 0..<200 where !lock.withLock({ hasEnded }) { try? await Task.sleep(nanoseconds: 5_000_000) }
        let kept = lock.withLock { bytes }
        return String(decoding: kept, as: UTF8.self).split(separator: "\n").suffix(Self.maxLines)
          .joined(separator: "\n")
      }
    }
  }
#endif
