import Foundation
import TestSupport
import Testing

/// A storage with a user, jane@example.com, who has signed in and has a photo; and a server for it that runs, or that
/// has ended.
final class OwnedStorage {
  let folder: TemporaryFolder
  /// The app of the user, as it was left.
  let jane: TutorialApp
  private var server: ServerProcess
  private var isRunning: Bool
  private let port: Int

  init(isRunning: Bool) async throws {
    folder = try TemporaryFolder()
    server = try ServerProcess(in: folder)
    jane = try await server.appOfNewUser()
    _ = try await jane.postBtnTapped(image: PNG.random(width: 30, height: 30), title: "one")
    port = try await server.port()
    self.isRunning = isRunning
    if !isRunning { await server.stop() }
  }

  func run(_ arguments: [String], input: String? = nil) async throws -> ServerProcess.Outcome {
    try await ServerProcess.run(arguments, in: folder, input: input)
  }

  /// The array that a command prints with --json.
  func json(_ arguments: [String]) async throws -> [[String: Any]] {
    let outcome = try await run(arguments + ["--json"])
    try #require(outcome.status == 0, "\(outcome)")
    let value = try JSONSerialization.jsonObject(with: Data(outcome.output.joined(separator: "\n").utf8))
    return try #require(value as? [[String: Any]], "\(outcome)")
  }

  /// The app on another phone. It starts the server if that has ended, at the same port.
  func app() async throws -> TutorialApp {
    if !isRunning {
      server = try ServerProcess(environment: ["PORT": "\(port)"], in: folder)
      isRunning = true
    }
    return try await server.app()
  }

  /// Kills the server, and starts another one.
  func restart() async throws {
    server.signal(SIGKILL)
    _ = await server.status()
    server = try ServerProcess(environment: ["PORT": "\(port)"], in: folder)
    _ = try await server.port()
  }

  /// Waits for a line of the log.
  func awaitLog(_ words: String) async {
    #expect(await server.errors.first { $0.contains(words) } != nil)
  }

  func kill() { server.signal(SIGKILL) }

  func stop() async {
    isRunning = false
    server.signal(SIGTERM)
    _ = await server.status()
  }

  /// The lines of the server's log, once it has ended.
  func log() async -> [String] { await server.errors.all() }
}
