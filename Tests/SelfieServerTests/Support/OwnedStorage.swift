import Glibc
import TestSupport
import Testing

/// A storage with a user, jane@example.com, who has signed in and has a photo; and a server for it that runs, or that
/// has ended.
final class OwnedStorage {
  let folder: TemporaryFolder
  /// The app of the user, as it was left.
  let jane: TutorialApp
  /// The one that runs, or has run last.
  private(set) var server: ServerProcess
  private var isRunning: Bool
  private let port: Int

  init(isRunning: Bool = true) async throws {
    server = try ServerProcess()
    folder = server.folder
    jane = try await server.appOfNewUser()
    try await jane.postBtnTapped()
    port = try await server.port()
    self.isRunning = isRunning
    if !isRunning { await server.stop() }
  }

  /// Runs a command to its end, of which is expected what `ServerProcess.run` expects.
  @discardableResult
  func run(
    _ arguments: [String], input: String? = nil, status: Int32 = 0, saying parts: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> ServerProcess.Outcome {
    try await ServerProcess(arguments, in: folder, input: input).outcome(status, saying: parts, sourceLocation)
  }

  /// The array that a command prints with --json.
  func json(_ arguments: [String]) async throws -> [[String: Any]] {
    try await run(arguments + ["--json"]).json()
  }

  /// The app on another phone. It starts the server if that has ended, at the same port.
  func app() async throws -> TutorialApp {
    if !isRunning {
      server = try ServerProcess(environment: ["PORT": "\(port)"], in: folder)
      isRunning = true
    }
    return try await server.app()
  }

  /// Lets the app be used on another phone. A server that has ended runs as long as that takes.
  func withApp(_ use: (TutorialApp) async throws -> Void) async throws {
    let wasRunning = isRunning
    try await use(try await app())
    if !wasRunning { await stop() }
  }

  func kill() async {
    isRunning = false
    await server.kill()
  }

  /// Does nothing if it has ended.
  func stop() async {
    guard isRunning else { return }
    isRunning = false
    await server.stop()
  }
}

extension TemporaryFolder {
  /// The folder of a server that has stored a user's photo and ended, and the path of the photo in its storage.
  static func ofServerWithPhoto() async throws -> (folder: TemporaryFolder, photo: String) {
    let server = try ServerProcess()
    let selfie = try await server.appOfNewUser().postBtnTapped()
    await server.stop()
    return (server.folder, "photos/\(selfie.id.prefix(2))/\(selfie.id)")
  }
}
