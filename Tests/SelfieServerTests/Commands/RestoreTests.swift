import Foundation
import Glibc
import SQLite
import TestSupport
import Testing

/// selfie-server restore, in vain and again.
@Suite(.timeLimit(.minutes(10))) struct RestoreTests {
  /// A backup of a server that has ended.
  private func backup() async throws -> TemporaryFolder {
    let server = try ServerProcess(in: try TemporaryFolder())
    let app = try await server.appOfNewUser()
    _ = try await app.postBtnTapped(image: PNG.random(width: 30, height: 30), title: "one")
    await server.stop()
    let outcome = try await ServerProcess.run(["backup", "selfie.tar"], in: server.folder)
    #expect(outcome.status == 0, "\(outcome)")
    return server.folder
  }

  @Test func `a folder with something in it is left alone`() async throws {
    let folder = try await backup()
    try folder.write("mine", to: "other/file")
    let outcome = try await ServerProcess.run(
      ["restore", "selfie.tar"], environment: ["STORAGE_DIR": "other"], in: folder)
    #expect(outcome.status == 1)
    #expect(outcome.message.contains("other is not empty: it has file. Move that away"), "\(outcome)")
    #expect(try folder.contents(of: "other") == ["file"])
  }

  @Test func `a checkout's own folder is empty enough`() async throws {
    let folder = try await backup()
    try folder.write("", to: "other/.gitkeep")
    let environment = ["STORAGE_DIR": "other"]
    let outcome = try await ServerProcess.run(["restore", "selfie.tar"], environment: environment, in: folder)
    #expect(outcome.status == 0, "\(outcome)")
    let server = try ServerProcess(environment: environment, in: folder)
    _ = try await server.port()
    let beside = try await ServerProcess.run(["restore", "selfie.tar"], environment: environment, in: folder)
    #expect(beside.message.contains("other is not empty"))
    await server.stop()
  }

  @Test func `no server serves what a restore has left half done, and another restore completes it`() async throws {
    let folder = try await backup()
    try folder.write("half", to: "other/restoring/selfie.sqlite3")
    try folder.write("placed", to: "other/photos/ab/placed")
    let environment = ["STORAGE_DIR": "other"]
    for command in [["serve"], ["doctor", "--repair"]] {
      let refused = try await ServerProcess.run(command, environment: environment, in: folder)
      #expect(refused.message.contains("A restore into other was interrupted. Start it again"), "\(refused)")
    }
    let outcome = try await ServerProcess.run(["restore", "selfie.tar"], environment: environment, in: folder)
    #expect(outcome.status == 0, "\(outcome)")
    let doctor = try await ServerProcess.run(["doctor"], environment: environment, in: folder)
    #expect(doctor.status == 0, "\(doctor)")
    #expect(try !folder.contents(of: "other").contains("restoring"))
  }

  @Test func `a restore that was complete but for its folder does not stop a server from starting`() async throws {
    let folder = try await backup()
    try folder.makeFolder("storage/restoring")
    let server = try ServerProcess(in: folder)
    _ = try await server.port()
    #expect(try !folder.contents(of: "storage").contains("restoring"))
    await server.stop()
  }

  @Test func `the backup of a newer version is refused, and nothing is left`() async throws {
    let folder = try await backup()
    let newer = try Connection(path: "\(folder.path)/storage/selfie.sqlite3", mode: .readWrite)
    try newer.execute("INSERT INTO schema_migrations VALUES ('9999_more', '', 0)")
    newer.close()
    let backup = try await ServerProcess.run(["backup", "newer.tar"], in: folder)
    #expect(backup.status == 0, "\(backup)")
    let outcome = try await ServerProcess.run(
      ["restore", "newer.tar"], environment: ["STORAGE_DIR": "other"], in: folder)
    #expect(outcome.status == 1)
    #expect(
      outcome.message.contains("9999_more.sql, which is not here: it comes from a newer selfie-server"), "\(outcome)")
    #expect(try folder.contents(of: "other") == ["lock"])
  }

  /// A stopped server's storage with a backup, and the id of the photo that has been deleted since.
  private func storageWithoutPhoto() async throws -> (folder: TemporaryFolder, id: String) {
    let folder = try await backup()
    let file = try #require(try folder.files(in: "storage/photos").first)
    let id = String(file.suffix(41))
    let deleted = try await ServerProcess.run(["photo", "delete", id, "--yes"], in: folder)
    #expect(deleted.status == 0, "\(deleted)")
    return (folder, id)
  }

  private func expectSound(_ folder: TemporaryFolder) async throws {
    let doctor = try await ServerProcess.run(["doctor"], in: folder)
    #expect(doctor.status == 0, "\(doctor)")
  }

  @Test func `a photo is put back while the server is stopped`() async throws {
    let (folder, id) = try await storageWithoutPhoto()
    let command = ["restore", "--photo", id, "selfie.tar"]
    let server = try ServerProcess(in: folder)
    let port = try await server.port()
    let inUse = try await ServerProcess.run(command, in: folder)
    #expect(inUse.status == 1)
    #expect(inUse.message.contains("storage is in use"), "\(inUse)")
    await server.stop()
    let outcome = try await ServerProcess.run(command, in: folder)
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.output.first?.hasPrefix("storage has the photo \(id) of jane@example.com again") == true)
    try await expectSound(folder)
    let again = try await ServerProcess.run(command, in: folder)
    #expect(again.status == 1)
    #expect(again.message.contains("The photo \(id) is in the storage"), "\(again)")
    let next = try ServerProcess(environment: ["PORT": "\(port)"], in: folder)
    let photo = try await next.app().helper.download("http://127.0.0.1:\(try await next.port())/photos/\(id)")
    #expect(photo.status == 200)
    await next.stop()
  }

  @Test func `a storage that is no server's, and an id that is none, are refused`() async throws {
    let folder = try await backup()
    let id = String(repeating: "a", count: 41)
    let elsewhere = try await ServerProcess.run(
      ["restore", "--photo", id, "selfie.tar"], environment: ["STORAGE_DIR": "none"], in: folder)
    #expect(elsewhere.status == 1)
    #expect(elsewhere.message.contains("none is no server's storage"), "\(elsewhere)")
    let wrong = try await ServerProcess.run(["restore", "--photo", "../a", "selfie.tar"], in: folder)
    #expect(wrong.status == 64)
  }

  @Test(arguments: [20, 60]) func `whenever it is killed, the photo is there as a whole or not at all`(
    milliseconds: Int
  ) async throws {
    let (folder, id) = try await storageWithoutPhoto()
    let command = try ServerProcess(["restore", "--photo", id, "selfie.tar"], in: folder)
    // The times are to be spread over the command, not to be met.
    try await Task.sleep(for: .milliseconds(milliseconds))
    command.signal(SIGKILL)
    _ = await command.status()
    let server = try ServerProcess(in: folder)
    _ = try await server.port()
    await server.stop()
    try await expectSound(folder)
    let isThere = try folder.files(in: "storage/photos").count == 1
    let shown = try await ServerProcess.run(["photo", "show", id], in: folder)
    #expect(shown.status == (isThere ? 0 : 1), "\(shown)")
  }
}
