import Foundation
import Glibc
import TestSupport
import Testing

/// One process writes.
@Suite(.timeLimit(.minutes(10))) struct SingleWriterTests {
  @Test func `a second server on the same storage says which process has it, and since when`() async throws {
    let first = try await ServerProcess().listening()
    let outcome = try await ServerProcess.run(
      in: first.folder, status: 1,
      saying: "storage is in use by another selfie-server (pid \(first.pid), since 2",
      "Stop it first, or set another STORAGE_DIR.")
    #expect(outcome.output.isEmpty)
    // The text that a killed one wrote into the lock stays, and keeps no other from starting.
    await first.kill()
    let next = try await ServerProcess(in: first.folder).listening()
    #expect(try first.folder.text(of: "storage/lock").hasPrefix("pid \(next.pid)\nsince 2"))
    await next.stop()
  }

  /// The last has a number that no process has: the name of a holder that has ended is not given for the present one.
  @Test func `whatever stands in the lock does no harm`() async throws {
    let folder = try TemporaryFolder()
    for text in [
      "", "pid", "pid x\nsince y\n", "\u{0}", String(repeating: "pid \(Int32.max)\n", count: 100_000),
      "pid \(Int32.max)\nsince 2001-01-01 00:00:00 +0000\n",
    ] {
      try folder.write(text, to: "storage/lock")
      let holder = open("\(folder.path)/storage/lock", O_RDONLY | O_CLOEXEC)
      try #require(flock(holder, LOCK_EX | LOCK_NB) == 0)
      try await ServerProcess.run(
        in: folder, status: 1, saying: "in use by another selfie-server (another process)")
      // A program that another test starts has a copy of the descriptor for a moment, which would keep the lock.
      flock(holder, LOCK_UN)
      close(holder)
    }
    try await ServerProcess(in: folder).listening().stop()
  }
}
