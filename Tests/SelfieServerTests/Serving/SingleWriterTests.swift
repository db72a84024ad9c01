import Foundation
import Glibc
import TestSupport
import Testing

/// One process writes.
@Suite(.timeLimit(.minutes(10))) struct SingleWriterTests {
  private func message(of folder: TemporaryFolder) async throws -> String {
    let outcome = try await ServerProcess.run(in: folder)
    #expect(outcome.status == 1)
    #expect(outcome.output.isEmpty)
    return outcome.message
  }

  @Test func `a second server on the same storage says which process has it, and since when`() async throws {
    let folder = try TemporaryFolder()
    let first = try ServerProcess(in: folder)
    _ = try await first.port()
    let message = try await message(of: folder)
    #expect(message.contains("storage is in use by another selfie-server (pid \(first.pid), since 2"), "\(message)")
    #expect(message.contains("Stop it first, or set another STORAGE_DIR."))
    await first.stop()

    // What the first one wrote into the lock stays, and holds nobody up.
    let third = try ServerProcess(in: folder)
    _ = try await third.port()
    await third.stop()
  }

  @Test func `a server that was killed does not stop the next one from starting`() async throws {
    let folder = try TemporaryFolder()
    let first = try ServerProcess(in: folder)
    _ = try await first.port()
    first.signal(SIGKILL)
    #expect(await first.status() == -SIGKILL)
    let next = try ServerProcess(in: folder)
    _ = try await next.port()
    #expect(try folder.text(of: "storage/lock").hasPrefix("pid \(next.pid)\nsince 2"))
    await next.stop()
  }

  @Test func `the name of a holder that has ended is not given for the present one`() async throws {
    let folder = try TemporaryFolder()
    // A number that no process has.
    try folder.write("pid \(Int32.max)\nsince 2001-01-01 00:00:00 +0000\n", to: "storage/lock")
    let holder = open("\(folder.path)/storage/lock", O_RDONLY | O_CLOEXEC)
    defer { close(holder) }
    try #require(flock(holder, LOCK_EX | LOCK_NB) == 0)
    let message = try await message(of: folder)
    #expect(message.contains("in use by another selfie-server (another process)"), "\(message)")
  }

  @Test(arguments: [("", 1), ("pid", 1), ("pid x\nsince y\n", 1), ("\u{0}", 1), ("pid \(Int32.max)\n", 100_000)])
  func `whatever stands in the lock does no harm`(_ text: String, _ times: Int) async throws {
    let folder = try TemporaryFolder()
    try folder.write(String(repeating: text, count: times), to: "storage/lock")
    let holder = open("\(folder.path)/storage/lock", O_RDONLY | O_CLOEXEC)
    try #require(flock(holder, LOCK_EX | LOCK_NB) == 0)
    let message = try await message(of: folder)
    // A program that another test starts has a copy of the descriptor for a moment, which would keep the lock.
    flock(holder, LOCK_UN)
    close(holder)
    #expect(message.contains("in use by another selfie-server (another process)"), "\(message)")
    let server = try ServerProcess(in: folder)
    _ = try await server.port()
    await server.stop()
  }
}
