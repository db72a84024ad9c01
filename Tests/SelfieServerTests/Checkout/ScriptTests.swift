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
    try copyExecutables(Self.commands.map { "\(checkout)/bin/\($0)" }, to: "\(clone.path)/bin")
    try FileManager.default.createSymbolicLink(
      atPath: "\(clone.path)/.build/release/selfie-server", withDestinationPath: ServerProcess.executable)
  }

  private func run(_ command: String, in folder: TemporaryFolder) async throws -> ServerProcess.Outcome {
    try await ServerProcess.run([], in: folder, shell: "exec '\(clone.path)'/bin/\(command)", hasHome: false)
  }

  private func serve() async throws {
    let server = try ServerProcess([], in: caller, shell: "exec '\(clone.path)'/bin/serve", hasHome: false)
    _ = try await server.port()
    await server.stop()
  }

  @Test func `paths are the caller's, and storage and settings those of the checkout`() async throws {
    try clone.write("STORAGE_DIR=\n", to: "Config/server.env")
    try await serve()
    #expect(clone.exists("storage/selfie.sqlite3"))
    let before = try clone.contents()

    let backup = try await run("backup x.tar", in: caller)
    #expect(backup.status == 0, "\(backup)")
    #expect(try caller.contents() == ["x.tar"])
    #expect(try await run("backup --verify x.tar", in: caller).status == 0)
    let doctor = try await run("doctor", in: caller)
    #expect(doctor.status == 0, "\(doctor)")
    #expect(try await run("encrypt secret12", in: caller).status == 0)
    #expect(try await run("selfie-server user list", in: caller).output == ["There are no users."])
    let restore = try await run("restore --storage-dir restored x.tar", in: caller)
    #expect(restore.status == 0, "\(restore)")
    #expect(caller.exists("restored/selfie.sqlite3"))
    // Reading a database may leave an empty log and its index.
    let ofReader = ["storage/selfie.sqlite3-shm", "storage/selfie.sqlite3-wal"]
    #expect(try clone.contents().filter { !ofReader.contains($0) } == before)
  }

  @Test func `without a command the server serves, and help and options are passed on`() async throws {
    let server = try ServerProcess(
      [], environment: ["PORT": ""], in: caller,
      shell: "exec '\(clone.path)'/bin/selfie-server --port 0 --get-token off", hasHome: false)
    _ = try await server.port()
    await server.stop()
    #expect(clone.exists("storage/selfie.sqlite3"))
    let plain = try ServerProcess(
      [], in: caller, shell: "exec '\(clone.path)'/bin/selfie-server", hasHome: false)
    _ = try await plain.port()
    await plain.stop()
    for words in ["--help", "help user", "--version"] {
      let outcome = try await run("selfie-server \(words)", in: caller)
      #expect(outcome.status == 0 && !outcome.output.isEmpty, "\(outcome)")
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
    let backup = try await run("backup ../x-\(UUID().uuidString)/x.tar", in: clone)
    #expect(backup.message.contains("../x-"))
    let restore = try await run("restore /dev/null", in: clone)
    #expect(restore.status == 1)
    #expect(!restore.message.contains(clone.path))
  }
}
