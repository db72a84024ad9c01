import TestSupport
import Testing

/// What all commands have in common.
@Suite(.timeLimit(.minutes(10))) struct CommandTests {
  @Test func `output that the disk has no room for is an error`() async throws {
    let server = try await ServerProcess().listening()
    await server.stop()
    let create = ["user", "create", "ada@example.com", "--generate"]
    for arguments in [create, ["user", "list"], ["constants"], ["doctor", "--json", "--quick"]] {
      let outcome = try await ServerProcess.run(arguments, in: server.folder, shell: "exec >/dev/full", status: 1)
      #expect(
        outcome.message.contains("What it printed is lost: standard output: No space left on device."), "\(outcome)")
      // A reader that has seen enough is none.
      if arguments != create { try await ServerProcess.run(arguments, in: server.folder) }
    }
  }
}
