import Foundation
import SelfieOperations
import TestSupport
import Testing

/// `selfie-server photo` and `selfie-server token`.
@Suite(.timeLimit(.minutes(10))) struct PhotoCommandTests {
  @Test(arguments: [true, false]) func `each command does its work with a server and without`(
    isRunning: Bool
  ) async throws {
    let storage = try await OwnedStorage(isRunning: isRunning)
    let id = try await export(from: storage)
    try await revokeToken(in: storage, isRunning: isRunning)
    try await delete(id, from: storage)
    guard isRunning else { return }
    await storage.stop()
    let log = await storage.server.errors.all()
    let line = "photo delete event=owners_command photo=\(id.prefix(8))… user=j…@example.com user_id=1"
    #expect(log.contains { $0.hasSuffix("owner's command: \(line)") } && !log.contains { $0.contains(id) }, "\(log)")
  }

  /// Exports the user's photo as it was uploaded, and replaces no other file.
  ///
  /// - Returns: the id of the photo.
  private func export(from storage: OwnedStorage) async throws -> String {
    let photo = try #require(try await storage.json(["photo", "list", "jane@example.com"]).first)
    let id = try #require(photo["random_id"] as? String)
    #expect(photo["title"] as? String == "one")
    #expect(photo["email"] as? String == "jane@example.com")
    let original = try storage.folder.bytes(of: "storage/photos/\(id.prefix(2))/\(id)")
    #expect(photo["byte_count"] as? Int == original.count)

    let exported = try await storage.run(["photo", "export", id, "copy.png"])
    #expect(exported.output == ["copy.png has the photo \"one\" of jane@example.com."], "\(exported)")
    #expect(try storage.folder.bytes(of: "copy.png") == original)
    #expect(try storage.folder.permissions(of: "copy.png") == 0o600)
    try storage.folder.write("mine", to: "mine.png")
    try await storage.run(["photo", "export", id, "mine.png"], status: 1, saying: "mine.png already exists.")
    #expect(try storage.folder.text(of: "mine.png") == "mine")
    try await storage.run(["photo", "export", id, "mine.png", "--force"])
    #expect(symlink("mine.png", "\(storage.folder.path)/link.png") == 0)
    let message = "link.png is not a plain file."
    try await storage.run(["photo", "export", id, "link.png", "--force"], status: 1, saying: message)
    #expect(try storage.folder.bytes(of: "mine.png") == original)
    // Through a pipe, as bytes.
    try await storage.folder.shell("\"$0\" photo export \(id) - --home . > piped.png")
    #expect(try storage.folder.bytes(of: "piped.png") == original)
    #expect(try storage.folder.names(in: "").sorted() == ["copy.png", "link.png", "mine.png", "piped.png", "storage"])
    return id
  }

  /// Ends the token of one device, while another stays signed in.
  private func revokeToken(in storage: OwnedStorage, isRunning: Bool) async throws {
    try await storage.withApp { other in
      try await other.makeSignInRequest()
      if !isRunning { await storage.stop() }
      let tokens = try await storage.json(["token", "list", "jane@example.com"])
      #expect(tokens.map { $0["email"] as? String } == ["jane@example.com", "jane@example.com"])
      // The newest comes first.
      let id = try #require(tokens.last?["id"] as? String)
      let outcome = try await storage.run(["token", "revoke", String(id.prefix(8))])
      #expect(outcome.output == ["The token \(id) of jane@example.com ended."], "\(outcome)")
      if !isRunning { _ = try await storage.app() }
      await #expect(throws: TutorialApp.Alert.self) { try await storage.jane.loadSelfieData() }
      #expect(try await other.loadSelfieData().count == 1)
      storage.jane.token = other.token
    }
  }

  /// Deletes a photo, once that is confirmed.
  private func delete(_ id: String, from storage: OwnedStorage) async throws {
    try await storage.run(["photo", "delete", id], status: 1)
    let deleted = try await storage.run(["photo", "delete", id, "--yes"])
    #expect(deleted.output == ["The photo \"one\" of jane@example.com is deleted."], "\(deleted)")
    #expect(try storage.folder.files(in: "storage/photos").isEmpty)
    try await storage.withApp { _ in
      let selfies = try await storage.jane.loadSelfieData()
      #expect(selfies.isEmpty)
    }
  }

  @Test func `no file is left of a photo that is damaged, missing or unknown`() async throws {
    let storage = try await OwnedStorage()
    let id = try #require(try await storage.json(["photo", "list"]).first?["random_id"] as? String)
    let path = "storage/photos/\(id.prefix(2))/\(id)"
    try await waitUntil { try await storage.json(["photo", "list"]).first?["sha256"] is String }
    var bytes = try storage.folder.bytes(of: path)
    bytes[10] ^= 1
    try storage.folder.write(bytes, to: path)
    for message in ["The photo is damaged in the storage", "The file of the photo is missing."] {
      for force in [[], ["--force"]] {
        try await storage.run(["photo", "export", id, "copy.png"] + force, status: 1, saying: message)
        #expect(!storage.folder.exists("copy.png") && !storage.folder.exists("copy.png.partial"))
      }
      if message.contains("damaged") { try storage.folder.remove(path) }
    }
    try await storage.run(["photo", "export", id, "no/such/folder.png"], status: 1)
  }

  @Test func `the status counts what is stored, and the sign-ins that were refused`() async throws {
    let storage = try await OwnedStorage()
    let app = try await storage.app()
    for password in ["wrong1", "wrong2"] {
      await #expect(throws: TutorialApp.Alert.self) { try await app.makeSignInRequest(password: password) }
    }
    let status = try await storage.run(["status", "--json"], status: 1).value(StatusView.self)
    #expect(status.users == 1)
    #expect(status.photos == 1)
    #expect(status.bytes ?? 0 > 0)
    #expect(status.freeBytes ?? 0 > 0)
    #expect(status.refusedSignIns == 2)
    #expect(status.lastBackup == nil)
    #expect(status.startedAt != nil && status.uptime != nil)
    let table = try await storage.run(["status"], status: 1)
    #expect(table.output.contains { $0.hasPrefix("Needs attention   No backups are made") }, "\(table)")
    let command = "  What to run     bin/selfie-server backup selfie-$(date +%F).tar"
    #expect(table.output.contains(command), "\(table)")
    #expect(table.output.contains("Refused sign-ins  2 since the server started"), "\(table)")
    // One made by hand counts.
    try await storage.run(["backup", "selfie.tar"])
    let backedUp = try await storage.run(["status", "--json"], status: 1)
    #expect(try backedUp.value(StatusView.self).lastBackup != nil)
    #expect(!backedUp.output.joined().contains("No backups are made"), "\(backedUp)")
    await storage.stop()
    let stopped = try await storage.run(["status"], status: 1)
    #expect(stopped.output.contains("Running           no"), "\(stopped)")
    #expect(!stopped.output.contains("Last backup       none"), "\(stopped)")
  }
}
