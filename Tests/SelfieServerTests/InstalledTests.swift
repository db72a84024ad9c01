import Foundation
import TestSupport
import Testing

/// An executable in a tree such as /usr, started from a folder that has nothing to do with it.
@Suite(.timeLimit(.minutes(10))) struct InstalledTests {
  private let tree: TemporaryFolder
  private let caller: TemporaryFolder

  init() throws {
    (tree, caller) = (try TemporaryFolder(), try TemporaryFolder())
    try tree.makeFolder("bin")
    try tree.makeFolder("share/selfie-server")
    try FileManager.default.copyItem(atPath: ServerProcess.executable, toPath: "\(tree.path)/bin/selfie-server")
    try FileManager.default.copyItem(
      atPath: "\(checkout)/Migrations", toPath: "\(tree.path)/share/selfie-server/migrations")
  }

  private func run(_ arguments: String, migrations: String = "") throws -> ServerProcess {
    try ServerProcess(
      [], environment: ["MIGRATIONS_DIR": migrations], in: caller,
      shell: "exec '\(tree.path)/bin/selfie-server' \(arguments)", hasHome: false)
  }

  @Test func `it finds its migrations, and none of another program's`() async throws {
    try caller.write("CREATE TABLE foreign_table (id INTEGER);", to: "Migrations/0001_foreign.sql")
    try caller.makeFolder("data")
    let server = try run("serve --storage-dir data")
    let app = try await server.port()
    #expect(app > 0)
    await server.stop()
    #expect(caller.exists("data/selfie.sqlite3"))
    let doctor = try run("doctor --storage-dir data")
    #expect(await doctor.status() == 0)
  }

  @Test func `migrations that are set come first`() async throws {
    try caller.makeFolder("data")
    let server = try run("serve --storage-dir data", migrations: "\(caller.path)/none")
    #expect(await server.status() == 1)
    #expect(await server.errors.all().contains { $0.contains("MIGRATIONS_DIR is \(caller.path)/none") })
  }

  @Test func `it makes no storage where it was started`() async throws {
    let server = try run("serve")
    #expect(await server.status() == 1)
    #expect(try caller.contents() == [])
  }
}
