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

  enum Moment: CaseIterable {
    case begun, filesGo
  }

  @Test(arguments: [true, false], Moment.allCases)
  func `whenever the server, or a command without one, is killed, the deletion is whole`(
    isRunning: Bool, moment: Moment
  ) async throws {
    let storage = try await storage(isRunning: isRunning)
    let command = try ServerProcess(["user", "delete", "jane@example.com", "--yes"], in: storage.folder)
    func filesGo() throws -> Bool { try storage.folder.files(in: "storage/photos").count < Self.photoCount }
    switch moment {
    case .begun where isRunning: try await storage.server.logged("owner's command: user delete")
    case .begun:
      try await waitUntil { try storage.folder.text(of: "storage/lock").contains("pid \(command.pid)\n") || filesGo() }
    case .filesGo: try await waitUntil(filesGo)
    }
    if isRunning { await storage.kill() } else { command.signal(SIGKILL) }
    _ = await command.status()
    _ = try await storage.app()
    // The server logs a command once it has deleted the rows.
    if isRunning || moment == .filesGo { #expect(try await storage.json(["user", "list"]).isEmpty) }
    try await expectWhole(storage)
  }
}
