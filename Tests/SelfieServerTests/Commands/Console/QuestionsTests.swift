import Glibc
import TestSupport
import Testing

/// Owner's commands at a terminal.
@Suite(.timeLimit(.minutes(10))) struct QuestionsTests {
  private let terminal: PseudoTerminal
  private let storage: OwnedStorage

  init() async throws {
    terminal = try PseudoTerminal()
    storage = try await OwnedStorage()
  }

  private func start(_ arguments: [String]) throws -> Program {
    // Without the terminal from which the tests were started, which it would ask.
    try Program(
      "/usr/bin/setsid", [ServerProcess.executable] + arguments + ["--home", "."], environment: [:],
      in: storage.folder.path, input: terminal.descriptor, output: terminal.descriptor, errors: terminal.descriptor)
  }

  private func status(of command: Program) async -> Int32 { (try? await Blocking.run { command.end() }) ?? -1 }

  @Test func `a new password is asked for twice, and not shown`() async throws {
    let command = try start(["user", "set-password", "jane@example.com"])
    try await terminal.awaitText("New password of jane@example.com: ")
    #expect(!terminal.echoes)
    try terminal.type("another-1\n")
    try await terminal.awaitText("Repeat the password: ")
    #expect(!terminal.echoes)
    try terminal.type("another-1\n")
    let screen = try await terminal.awaitText("jane@example.com has a new password")
    #expect(!screen.contains("another-1"))
    #expect(await status(of: command) == 0)
    #expect(terminal.echoes)
    try await storage.app().makeSignInRequest(password: "another-1")
  }

  @Test func `two passwords that differ, and a command that is interrupted, change nothing`() async throws {
    let create = ["user", "create", "ada@example.com", "--name", "Ada Lovelace"]
    let differing = try start(create)
    try await terminal.awaitText("New password of ada@example.com: ")
    try terminal.type("another-1\n")
    try await terminal.awaitText("Repeat the password: ")
    try terminal.type("another-2\n")
    try await terminal.awaitText("The passwords differ. Nothing was changed.")
    #expect(await status(of: differing) == 1)

    let interrupted = try start(["user", "set-password", "jane@example.com"])
    try await waitUntil { !terminal.echoes }
    // Ctrl-C and Return.
    try terminal.type("\u{3}\n")
    try await terminal.awaitText("No password was typed.")
    #expect(await status(of: interrupted) == 1)
    #expect(terminal.echoes)
    #expect(try await storage.json(["user", "list"]).compactMap { $0["email"] as? String } == ["jane@example.com"])
    try await storage.app().makeSignInRequest()
  }

  @Test func `a deletion asks first, and takes everything but y for no`() async throws {
    let refused = try start(["user", "delete", "jane@example.com"])
    try await terminal.awaitText("[y/N] ")
    try terminal.type("\n")
    #expect(await status(of: refused) == 1)
    #expect(try await storage.json(["user", "list"]).count == 1)
    let confirmed = try start(["user", "delete", "jane@example.com", "--json"])
    try terminal.type("y\n")
    #expect(await status(of: confirmed) == 0)
    #expect(try await storage.json(["user", "list"]).isEmpty)
  }
}
