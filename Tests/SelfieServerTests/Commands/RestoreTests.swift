import Foundation
import Glibc
import TestSupport
import Testing

/// selfie-server restore, in vain and again.
@Suite(.timeLimit(.minutes(10))) struct RestoreTests {
  private static let other = ["STORAGE_DIR": "other"]

  /// A backup of a server that has ended.
  private func backup() async throws -> TemporaryFolder {
    let (folder, _) = try await TemporaryFolder.ofServerWithPhoto()
    try await folder.run("backup selfie.tar")
    return folder
  }

  @Test func `a folder with something in it is left alone, and a checkout's own folder is empty enough`() async throws {
    let folder = try await backup()
    try folder.write("mine", to: "full/file")
    try await folder.run(
      "restore selfie.tar", environment: ["STORAGE_DIR": "full"], status: 1,
      saying: "full is not empty: it has file. Move that away")
    #expect(try folder.contents(of: "full") == ["file"])

    try folder.write("", to: "other/.gitkeep")
    try await folder.run("restore selfie.tar", environment: Self.other)
  }

  @Test func `no server serves what a restore has left half done, and another restore completes it`() async throws {
    let folder = try await backup()
    try folder.write("half", to: "other/restoring/selfie.sqlite3")
    for (command, status) in [(["serve"], 1), (["doctor", "--repair"], 2)] as [([String], Int32)] {
      try await ServerProcess.run(
        command, environment: Self.other, in: folder, status: status,
        saying: "A restore into other was interrupted. Run selfie-server restore again")
    }
    try await folder.run("restore selfie.tar", environment: Self.other)
    try await folder.run("doctor", environment: Self.other)
    #expect(try !folder.contents(of: "other").contains("restoring"))

    // One that was complete but for its folder does not stop a server from starting.
    try folder.makeFolder("storage/restoring")
    let server = try await ServerProcess(in: folder).listening()
    #expect(try !folder.contents(of: "storage").contains("restoring"))
    await server.stop()
  }

  @Test func `the backup of a newer version is refused, and nothing is left`() async throws {
    let folder = try await backup()
    try folder.execute("INSERT INTO schema_migrations VALUES ('9999_more', '', 0)")
    try await folder.run("backup newer.tar")
    try await folder.run(
      "restore newer.tar", environment: Self.other, status: 1,
      saying: "9999_more.sql, which is not here: it comes from a newer selfie-server")
    #expect(try folder.contents(of: "other") == ["lock"])
  }

  /// A stopped server's storage with a backup, and the id of the photo that has been deleted since.
  private func storageWithoutPhoto() async throws -> (folder: TemporaryFolder, id: String) {
    let folder = try await backup()
    let file = try #require(try folder.files(in: "storage/photos").first)
    let id = String(file.suffix(41))
    try await ServerProcess.run(["photo", "delete", id, "--yes"], in: folder)
    return (folder, id)
  }

  @Test func `a photo is put back while the server is stopped`() async throws {
    let (folder, id) = try await storageWithoutPhoto()
    let command = ["restore", "--photo", id, "selfie.tar"]
    let server = try await ServerProcess(in: folder).listening()
    try await ServerProcess.run(command, in: folder, status: 1, saying: "storage is in use")
    await server.stop()
    let outcome = try await ServerProcess.run(command, in: folder)
    #expect(outcome.output.first?.hasPrefix("storage has the photo \(id) of jane@example.com again") == true)
    try await folder.run("doctor")
    try await ServerProcess.run(command, in: folder, status: 1, saying: "The photo \(id) is in the storage")
    let next = try ServerProcess(in: folder)
    #expect(try await next.response(to: "GET /photos/\(id)").status == 200)
    await next.stop()

    try await ServerProcess.run(
      command, environment: ["STORAGE_DIR": "none"], in: folder, status: 1, saying: "There is no storage in ./none.")
    try await folder.run("restore --photo ../a selfie.tar", status: 64)
  }

  @Test(arguments: [false, true]) func `whenever it is killed, the photo is there as a whole or not at all`(
    isFileThere: Bool
  ) async throws {
    let (folder, id) = try await storageWithoutPhoto()
    let command = try ServerProcess(["restore", "--photo", id, "selfie.tar"], in: folder)
    try await waitUntil {
      try !folder.files(in: "storage/photos").isEmpty
        || !isFileThere && folder.text(of: "storage/lock").contains("pid \(command.pid)\n")
    }
    command.signal(SIGKILL)
    _ = await command.status()
    try await ServerProcess(in: folder).listening().stop()
    try await folder.run("doctor")
    let isThere = try !folder.files(in: "storage/photos").isEmpty
    try await ServerProcess.run(["photo", "show", id], in: folder, status: isThere ? 0 : 1)
  }
}
