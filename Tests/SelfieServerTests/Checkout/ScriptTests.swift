import Foundation
import TestSupport
import Testing

/// The scripts in bin, in a checkout with a built server, called from another folder by somebody without swift in PATH.
@Suite(.timeLimit(.minutes(10))) struct ScriptTests {
  private static let commands = ["selfie-server", "backup", "doctor", "encrypt", "import", "restore", "serve"]

  private let clone: TemporaryFolder
  private let caller: TemporaryFolder

  init() throws {
    (clone, caller) = (try TemporaryFolder(), try TemporaryFolder())
    try clone.write("", to: "Package.swift")
    try clone.makeFolder("bin")
    try clone.makeFolder(".build/release")
    try clone.copyExecutables(Self.commands.map { "\(checkout)/bin/\($0)" }, to: "bin")
    try FileManager.default.createSymbolicLink(
      atPath: "\(clone.path)/.build/release/selfie-server", withDestinationPath: ServerProcess.executable)
  }

  @discardableResult
  private func run(
    _ command: String, in folder: TemporaryFolder? = nil, status: Int32 = 0
  ) async throws -> ServerProcess.Outcome {
    try await (folder ?? caller).shell("'\(clone.path)'/bin/\(command)", status: status)
  }

  private func serve(_ command: String = "serve", _ environment: [String: String] = [:]) async throws {
    try await ServerProcess(
      [], environment: environment, in: caller, shell: "exec '\(clone.path)'/bin/\(command)", hasHome: false
    ).listening().stop()
  }

  @Test func `paths are the caller's, and storage and settings those of the checkout`() async throws {
    try clone.write("STORAGE_DIR=\n", to: "Config/server.env")
    try await serve()
    #expect(clone.exists("storage/selfie.sqlite3"))
    let before = try clone.contents()

    try await run("backup x.tar")
    #expect(try caller.contents() == ["x.tar"])
    for command in ["backup --verify x.tar", "doctor", "encrypt secret12"] { try await run(command) }
    #expect(try await run("selfie-server user list").output == ["There are no users."])
    try await run("restore --storage-dir restored x.tar")
    #expect(caller.exists("restored/selfie.sqlite3"))
    // Reading a database may leave an empty log and its index, and a backup by hand notes its time in it.
    let left = ["storage/selfie.sqlite3-shm", "storage/selfie.sqlite3-wal"]
    #expect(try clone.contents().filter { !left.contains($0) } == before)
  }

  @Test func `without a command the server serves, and help and options are passed on`() async throws {
    try await serve("selfie-server --port 0 --host 127.0.0.1", ["PORT": ""])
    #expect(clone.exists("storage/selfie.sqlite3"))
    try await serve("selfie-server")
    for words in ["--help", "help user", "--version"] {
      #expect(try await !run("selfie-server \(words)").output.isEmpty)
    }
  }

  @Test func `a relative storage in the checkout's settings is one in the checkout`() async throws {
    try clone.write("STORAGE_DIR=data\n", to: "Config/server.env")
    try clone.makeFolder("data")
    try await serve()
    #expect(clone.exists("data/selfie.sqlite3"))
    #expect(try caller.contents() == [])
  }

  @Test func `in the checkout itself messages have short paths`() async throws {
    try await serve()
    let backup = try await run("backup ../x-\(UUID().uuidString)/x.tar", in: clone, status: 1)
    #expect(backup.message.contains("../x-"))
    let restore = try await run("restore /dev/null", in: clone, status: 1)
    #expect(!restore.message.contains(clone.path))
  }
}
