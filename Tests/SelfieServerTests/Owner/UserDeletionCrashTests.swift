import Foundation
import Glibc
import TestSupport
import Testing

/// A user's deletion happens as a whole or not at all, whenever the process is killed that carries it out.
@Suite(.timeLimit(.minutes(10))) struct UserDeletionCrashTests {
  private static let photoCount = 20

  private func storage(isRunning: Bool) async throws -> OwnedStorage {
    let storage = try await OwnedStorage(isRunning: true)
    for _ in 1..<Self.photoCount {
      _ = try await storage.jane.postBtnTapped(image: PNG.random(width: 3, height: 3), title: "more")
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
    let doctor = try await ServerProcess.run(["doctor"], in: storage.folder)
    #expect(doctor.status == 0, "\(doctor)")
  }

  @Test func `a server that is killed between the rows and the files leaves none of them`() async throws {
    let storage = try await storage(isRunning: true)
    let command = try ServerProcess(["user", "delete", "jane@example.com", "--yes"], in: storage.folder)
    await storage.awaitLog("owner's command: user delete")
    try await storage.restart()
    #expect(try await storage.json(["user", "list"]).isEmpty)
    try await expectWhole(storage)
    _ = await command.status()
    await storage.stop()
  }

  @Test(arguments: [20, 100]) func `whenever the server is killed, the deletion is whole`(milliseconds: Int)
    async throws
  {
    let storage = try await storage(isRunning: true)
    let command = try ServerProcess(["user", "delete", "jane@example.com", "--yes"], in: storage.folder)
    // The times are to be spread over the command, not to be met.
    try await Task.sleep(for: .milliseconds(milliseconds))
    storage.kill()
    _ = await command.status()
    try await storage.restart()
    try await expectWhole(storage)
    await storage.stop()
  }

  @Test(arguments: [80, 200]) func `whenever a command without a server is killed, the deletion is whole`(
    milliseconds: Int
  ) async throws {
    let storage = try await storage(isRunning: false)
    let command = try ServerProcess(["user", "delete", "jane@example.com", "--yes"], in: storage.folder)
    try await Task.sleep(for: .milliseconds(milliseconds))
    command.signal(SIGKILL)
    _ = await command.status()
    _ = try await storage.app()
    try await expectWhole(storage)
    await storage.stop()
  }
}
