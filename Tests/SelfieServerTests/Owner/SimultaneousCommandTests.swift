import Foundation
import TestSupport
import Testing

/// Commands at once: one process writes, and none of the others is turned away.
@Suite(.timeLimit(.minutes(10))) struct SimultaneousCommandTests {
  @Test(arguments: [true, false]) func `commands at the same time are all carried out`(isRunning: Bool) async throws {
    let storage = try await OwnedStorage(isRunning: isRunning)
    let commands = try (0..<6).map { number in
      try ServerProcess(["user", "create", "user\(number)@example.com"], in: storage.folder, input: "secret12")
    }
    for command in commands { #expect(await command.status() == 0) }
    let emails = try await storage.json(["user", "list"]).compactMap { $0["email"] as? String }
    #expect(emails == ["jane@example.com"] + (0..<6).map { "user\($0)@example.com" })
    await storage.stop()
  }

  @Test func `commands outlast a server that stops and another one that starts`() async throws {
    let storage = try await OwnedStorage()
    async let stopped: Void = storage.stop()
    try await ServerProcess.run(["user", "create", "ada@example.com"], in: storage.folder, input: "secret12")
    await stopped
    #expect(try await storage.json(["user", "list"]).count == 2)
  }
}
