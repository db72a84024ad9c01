import Foundation
import TestSupport
import Testing

/// `selfie-server photo` and `selfie-server token`.
@Suite(.timeLimit(.minutes(10))) struct PhotoCommandTests {
  @Test(arguments: [true, false]) func `a photo is exported as it was uploaded, and replaces no file unasked`(
    isRunning: Bool
  ) async throws {
    let storage = try await OwnedStorage(isRunning: isRunning)
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
    let refused = try await storage.run(["photo", "export", id, "mine.png"])
    #expect(refused.status == 1)
    #expect(refused.message.contains("mine.png exists already."), "\(refused)")
    #expect(try storage.folder.text(of: "mine.png") == "mine")
    #expect(try await storage.run(["photo", "export", id, "mine.png", "--force"]).status == 0)
    #expect(try storage.folder.bytes(of: "mine.png") == original)

    // Through a pipe, as bytes.
    let piped = try await ServerProcess.run(
      ["photo", "export", id, "-", "--home", "."], in: storage.folder,
      shell: "\"$0\" \"$@\" > piped.png; set -- status")
    #expect(piped.status == 0, "\(piped)")
    #expect(try storage.folder.bytes(of: "piped.png") == original)
    #expect(try storage.folder.names(in: "").sorted() == ["copy.png", "mine.png", "piped.png", "storage"])
    await storage.stop()
  }

  @Test func `no file is left of a photo that is damaged, missing or unknown`() async throws {
    let storage = try await OwnedStorage(isRunning: true)
    let id = try #require(try await storage.json(["photo", "list"]).first?["random_id"] as? String)
    let path = "storage/photos/\(id.prefix(2))/\(id)"
    try await waitUntil { try await storage.json(["photo", "list"]).first?["sha256"] is String }
    var bytes = try storage.folder.bytes(of: path)
    bytes[10] ^= 1
    try storage.folder.write(bytes, to: path)
    for message in ["The photo is damaged in the storage", "The file of the photo is missing."] {
      for force in [[], ["--force"]] {
        let outcome = try await storage.run(["photo", "export", id, "copy.png"] + force)
        #expect(outcome.status == 1)
        #expect(outcome.message.contains(message), "\(outcome)")
        #expect(!storage.folder.exists("copy.png") && !storage.folder.exists("copy.png.partial"))
      }
      if message.contains("damaged") { try storage.folder.remove(path) }
    }
    let nowhere = try await storage.run(["photo", "export", id, "no/such/folder.png"])
    #expect(nowhere.status == 1)
    await storage.stop()
  }

  @Test(arguments: [true, false]) func `a photo that is deleted is gone from the app and from the disk`(
    isRunning: Bool
  ) async throws {
    let storage = try await OwnedStorage(isRunning: isRunning)
    let id = try #require(try await storage.json(["photo", "list"]).first?["random_id"] as? String)
    #expect(try await storage.run(["photo", "delete", id]).status == 1)
    let deleted = try await storage.run(["photo", "delete", id, "--yes"])
    #expect(deleted.output == ["The photo \"one\" of jane@example.com is deleted."], "\(deleted)")
    #expect(try storage.folder.files(in: "storage/photos").isEmpty)
    if !isRunning { _ = try await storage.app() }
    #expect(try await storage.jane.loadSelfieData().isEmpty)
    await storage.stop()
  }

  @Test(arguments: [true, false]) func `a token that is revoked ends, and no other`(isRunning: Bool) async throws {
    let storage = try await OwnedStorage(isRunning: isRunning)
    let other = try await storage.app()
    try await other.makeSignInRequest(email: "jane@example.com", password: "secret12")
    let tokens = try await storage.json(["token", "list", "jane@example.com"])
    #expect(tokens.map { $0["email"] as? String } == ["jane@example.com", "jane@example.com"])
    // The newest comes first.
    let id = try #require(tokens.last?["id"] as? String)
    let outcome = try await storage.run(["token", "revoke", String(id.prefix(8))])
    #expect(outcome.output == ["The token \(id) of jane@example.com ended."], "\(outcome)")
    await #expect(throws: TutorialApp.Alert.self) { try await storage.jane.loadSelfieData() }
    #expect(try await other.loadSelfieData().count == 1)
    #expect(try await storage.json(["token", "list"]).count == 1)
    await storage.stop()
  }

  @Test func `the status counts what is stored, and the sign-ins that were refused`() async throws {
    let storage = try await OwnedStorage(isRunning: true)
    let app = try await storage.app()
    for password in ["wrong1", "wrong2"] {
      await #expect(throws: TutorialApp.Alert.self) {
        try await app.makeSignInRequest(email: "jane@example.com", password: password)
      }
    }
    let outcome = try await storage.run(["status", "--json"])
    let json = try JSONSerialization.jsonObject(with: Data(outcome.output.joined().utf8))
    let status = try #require(json as? [String: Any], "\(outcome)")
    #expect(status["users"] as? Int == 1)
    #expect(status["photos"] as? Int == 1)
    #expect((status["bytes"] as? Int ?? 0) > 0)
    #expect((status["free_bytes"] as? Int ?? 0) > 0)
    #expect(status["refused_sign_ins"] as? Int == 2)
    #expect(status["last_backup"] is NSNull)
    #expect(status["version"] is String && status["started_at"] is String && status["uptime"] is Int)
    let table = try await storage.run(["status"])
    #expect(table.output.contains("Refused sign-ins  2 since the start"), "\(table)")
    await storage.stop()
    let stopped = try await storage.run(["status"])
    #expect(stopped.output.contains("Running           no"), "\(stopped)")
  }
}
