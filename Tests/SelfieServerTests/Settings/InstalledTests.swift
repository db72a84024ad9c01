import Foundation
import Glibc
import TestSupport
import Testing

/// An executable in a tree such as /usr, started from a folder that has nothing to do with it.
@Suite(.timeLimit(.minutes(10))) struct InstalledTests {
  private let tree: TemporaryFolder
  private let caller: TemporaryFolder

  init() throws {
    (tree, caller) = (try TemporaryFolder(), try TemporaryFolder())
    try tree.makeFolder("bin")
    try copyExecutables([ServerProcess.executable], to: "\(tree.path)/bin")
  }

  private func run(_ arguments: String, through wrapper: String = "") throws -> ServerProcess {
    try ServerProcess(
      [], in: caller, shell: "exec \(wrapper) '\(tree.path)/bin/selfie-server' \(arguments)", hasHome: false)
  }

  /// The settings of the service, with a storage that has a database.
  private func makeService() async throws {
    try tree.makeFolder("data")
    let server = try run("serve --storage-dir '\(tree.path)/data'")
    _ = try await server.port()
    await server.stop()
    try tree.write("STORAGE_DIR=\(tree.path)/data\n", to: "etc/selfie-server/server.env")
  }

  @Test func `it needs no other file`() async throws {
    try caller.makeFolder("storage")
    let server = try run("serve --storage-dir storage")
    _ = try await server.appOfNewUser()
    await server.stop()
    let doctor = try run("doctor --storage-dir storage")
    #expect(await doctor.status() == 0)
  }

  @Test func `it makes no storage where it was started`() async throws {
    let server = try run("serve")
    #expect(await server.status() == 1)
    #expect(try caller.contents() == [])
  }

  @Test func `the owner's commands find the service's settings, and in them its storage`() async throws {
    try await makeService()
    let status = try run("status")
    #expect(await status.status() == 0)
    #expect(await status.errors.all() == [])
    let create = try run("user create ada@example.com --name Ada --generate")
    #expect(await create.status() == 0)
    #expect(try caller.contents() == [])
  }

  @Test func `the settings of a checkout, and those that are named, come first`() async throws {
    try await makeService()
    for name in ["Package.swift", "bin/serve"] { try caller.write("", to: name) }
    for arguments in ["status", "status --home .", "status --config bin/serve"] {
      let command = try run(arguments)
      #expect(await command.status() == 1)
      #expect(await command.errors.all() == ["selfie-server: STORAGE_DIR is storage, and there is no such folder."])
    }
  }

  @Test func `a server is not started with the service's settings by chance`() async throws {
    try await makeService()
    let server = try run("serve")
    #expect(await server.status() == 1)
    #expect(await server.errors.all().contains { $0.contains("There is no storage in this folder") })
  }

  @Test func `settings that the caller may not read are named, with what to do`() async throws {
    try await makeService()
    let file = "\(tree.path)/etc/selfie-server/server.env"
    #expect(chmod(file, 0) == 0)
    // Root may read every file, unless it has given that up.
    let wrapper = geteuid() == 0 ? "setpriv --bounding-set -dac_override,-dac_read_search" : ""
    let command = try run("user list", through: wrapper)
    #expect(await command.status() == 1)
    let errors = await command.errors.all().joined(separator: "\n")
    #expect(errors.contains("\(file) cannot be read: Permission denied."), "\(errors)")
    #expect(errors.contains("as the server's user, for example with sudo -u selfie-server"), "\(errors)")
  }
}
