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
    try tree.copyExecutables([ServerProcess.executable], to: "bin")
  }

  private func start(_ arguments: String, through wrapper: String = "") throws -> ServerProcess {
    try ServerProcess(
      [], in: caller, shell: "exec \(wrapper) '\(tree.path)/bin/selfie-server' \(arguments)", hasHome: false)
  }

  /// The settings of the service, with a storage that has a database. Its server needs no other file.
  private func makeService() async throws {
    try tree.makeFolder("data")
    try await start("serve --storage-dir '\(tree.path)/data'").listening().stop()
    try tree.write("STORAGE_DIR=\(tree.path)/data\n", to: "etc/selfie-server/server.env")
  }

  @Test func `the owner's commands find the service's settings, unless others come first, and a server does not`()
    async throws
  {
    _ = try await start("serve").outcome(1)
    #expect(try caller.contents() == [])
    try await makeService()
    _ = try await start("serve").outcome(1, saying: ["There is no storage in this folder"])
    #expect(try await start("status").outcome(1).errors == [])
    _ = try await start("user create ada@example.com --name Ada --generate").outcome()
    #expect(try caller.contents() == [])

    // The settings of a checkout, and those that are named.
    for name in ["Package.swift", "bin/serve"] { try caller.write("", to: name) }
    for arguments in ["status", "status --home .", "status --config bin/serve"] {
      let outcome = try await start(arguments).outcome(1)
      #expect(
        outcome.errors == [
          "selfie-server: There is no storage in ./storage. Run this in the server's folder, or pass --storage-dir. A new server makes it when it is first started."
        ])
    }
  }

  @Test func `settings that the caller may not read are named, with what to do`() async throws {
    try await makeService()
    let file = "\(tree.path)/etc/selfie-server/server.env"
    #expect(chmod(file, 0) == 0)
    // Root may read every file, unless it has given that up.
    let wrapper = geteuid() == 0 ? "setpriv --bounding-set -dac_override,-dac_read_search" : ""
    _ = try await start("user list", through: wrapper).outcome(
      1,
      saying: [
        "\(file) cannot be read: Permission denied.",
        "as the server's user, for example with sudo -u selfie-server",
      ])
  }
}
