import Foundation
import Glibc
import TestSupport
import Testing

/// A user's deletion happens as a whole or not at all, whenever the process is killed that carries it out.
@Suite(.timeLimit(.minutes(10))) struct UserDeletionCrashTests {
  private static let photoCount = 20

  private func storage(isRunning: Bool) async throws -> OwnedStorage {
    let storage = try await OwnedStorage()
    for _ in 1..<Self.photoCount {
      try await storage.jane.postBtnTapped(image: PNG.random(100))
    }
    if !isRunning { await storage.stop() }
    return storage
  }

  /// Either the user has all photos, or neither the user nor any file is there.
  private func expectWhole(_ storage: OwnedStorage) async throws {
    let users = try await storage.json(["user", "list"])
    if let jane = users.first {
      #expect(jane["photos"] as? Int == Self.photoCount)
      #expect(try storage.folder.files(in: "storage/photos").count == Self.photoCount)
    } else {
      #expect(try await storage.json(["photo", "list"]).isEmpty)
      // A server that starts removes what a deletion has left.
      try await waitUntil { try storage.folder.files(in: "storage/photos").isEmpty }
    }
    try await storage.run(["doctor"])
  }

  @Test func `a server that is killed between the rows and the files leaves none of them`() async throws {
    let storage = try await storage(isRunning: true)
    let command = try ServerProcess(["user", "delete", "jane@example.com", "--yes"], in: storage.folder)
    try await storage.server.logged("owner's command: user delete")
    try await storage.restart()
    #expect(try await storage.json(["user", "list"]).isEmpty)
    try await expectWhole(storage)
    _ = await command.status()
    await storage.stop()
  }

  @Test(arguments: [(20, true), (100, true), (80, false), (200, false)])
  func `whenever the server, or a command without one, is killed, the deletion is whole`(
    milliseconds: Int, isRunning: Bool
  ) async throws {
    let storage = try await storage(isRunning: isRunning)
    let command = try ServerProcess(["user", "delete", "jane@example.com", "--yes"], in: storage.folder)
    // The times are to be spread over the command, not to be met.
    try await Task.sleep(for: .milliseconds(milliseconds))
    // A command that has not reached the server yet locks the storage itself, so the next server starts after it.
    if isRunning { await storage.kill() } else { command.signal(SIGKILL) }
    _ = await command.status()
    _ = try await storage.app()
    try await expectWhole(storage)
    await storage.stop()
  }
}
