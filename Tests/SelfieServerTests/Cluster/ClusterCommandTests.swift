import Foundation
import TestSupport
import Testing

/// The owner's commands on a cluster, with a server that runs on the machine and without.
@Suite(.enabled(if: !TestCluster.stores.isEmpty, "\(TestCluster.whatIsNeeded)"), .timeLimit(.minutes(10)))
struct ClusterCommandTests {
  private static let email = "jane@example.com"

  /// A cluster with a user who has signed in and has a photo, and the process that has served that.
  private func cluster() async throws -> (TestCluster, ServerProcess, TutorialApp, [UInt8], id: String) {
    let cluster = try await TestCluster()
    // A sweep as early as this is allowed because of the other setting only.
    let server = try cluster.start(["serve"], ["MAX_PHOTO_BYTES": "4194304", "SWEEP_AFTER": "600"])
    let app = try await server.appOfNewUser()
    let image = PNG.random(1_680_000)
    return (cluster, server, app, image, try await app.postBtnTapped(image: image).id)
  }

  @Test(arguments: [true, false]) func `users, tokens and photos can be listed, changed and deleted`(
    isRunning: Bool
  ) async throws {
    let (cluster, server, app, image, id) = try await cluster()
    // Of another machine, or of the server's.
    let folder = isRunning ? server.folder : try TemporaryFolder()
    func run(_ arguments: [String], input: String? = nil) async throws -> ServerProcess.Outcome {
      try await cluster.run(arguments, in: folder, input: input)
    }
    func json(_ arguments: [String]) async throws -> [[String: Any]] { try await run(arguments + ["--json"]).json() }
    _ = try await run(["user", "create", "ada@example.com", "--name", "Ada King"], input: "secret12")
    let users = try await json(["user", "list"])
    #expect(users.map { $0["email"] as? String } == ["ada@example.com", Self.email])
    #expect(users[1]["photos"] as? Int == 1 && users[1]["bytes"] as? Int == image.count)
    try await server.app().makeSignInRequest(email: "ada@example.com")

    // A server elsewhere cannot be asked, and one for tests has passwords at a low cost.
    let status = try await cluster.run(["status"], in: folder, status: 1)
    #expect(status.output.contains { $0.hasPrefix("Photos") && $0.hasSuffix(" 1") }, "\(status)")

    let photo = try #require(try await json(["photo", "list", Self.email]).first)
    #expect(photo["random_id"] as? String == id && photo["email"] as? String == Self.email)
    _ = try await run(["photo", "export", id, "copy.png"])
    #expect(try folder.bytes(of: "copy.png") == [UInt8](image))

    let tokens = try await json(["token", "list", Self.email])
    #expect(tokens.count == 1 && tokens[0]["email"] as? String == Self.email)
    _ = try await run(["token", "revoke", try #require(tokens.first?["id"] as? String)])
    await #expect(throws: TutorialApp.Alert.self) { _ = try await app.loadSelfieData() }

    _ = try await run(["user", "set-password", Self.email], input: "secret34")
    try await app.makeSignInRequest(password: "secret34")

    _ = try await run(["photo", "delete", id, "--yes"])
    #expect(try await app.loadSelfieData().isEmpty)
    _ = try await run(["user", "delete", Self.email, "--yes"])
    #expect(try await cluster.query("SELECT email FROM users") == ["ada@example.com"])
    try await cluster.run(
      ["user", "show", Self.email], in: folder, status: 1,
      saying: "There is no user with the email address \(Self.email).")
    await server.stop()
  }

  @Test func `what the Rails original had is imported, once`() async throws {
    let cluster = try await TestCluster()
    let rehearsal = try await cluster.run(RailsExport.arguments)
    #expect(rehearsal.output.contains("Users:  2 new, 0 refused"), "\(rehearsal)")
    #expect(try await cluster.query("SELECT id FROM users").isEmpty)
    let outcome = try await cluster.run(RailsExport.arguments + ["--write"])
    #expect(outcome.output.contains { $0.hasPrefix("Photos: 4 new, 0 refused") }, "\(outcome)")
    try await cluster.run(
      RailsExport.arguments, status: 1, saying: "The storage has 2 users already, and an import needs an empty one.")
    #expect(try await cluster.query("SELECT random_id FROM uploads").isEmpty)

    let server = try cluster.start(["serve"], RailsExport.credentials)
    let app = try await server.appOfImportedCarol()
    let ids = try await cluster.query("SELECT id FROM photos ORDER BY id")
    try await app.postBtnTapped()
    #expect(try await cluster.query("SELECT id FROM photos ORDER BY id").dropLast() == ids[...])
    await server.stop()
  }

  /// The kinds of doctor's findings, other than the settings of the tests' own server.
  private func findings(_ cluster: TestCluster, _ arguments: [String] = []) async throws -> [String] {
    let report = try await cluster.run(["doctor", "--json"] + arguments, status: 1).json([String: Any].self)
    #expect((report["failures"] as? [String]) == [], "\(report)")
    let kinds = try #require(report["findings"] as? [[String: Any]]).compactMap { $0["kind"] as? String }
    // fsync is off for the tests, which doctor must say.
    #expect(kinds.count { $0 == "unsafe_setting" } == 1, "\(report)")
    return kinds.filter { $0 != "unsafe_setting" }
  }

  /// `ClusterCheckTests` has each kind of finding.
  @Test func `doctor finds what is wrong with rows and objects, and changes only what it can repair`() async throws {
    let (cluster, server, _, _, id) = try await cluster()
    #expect(try await findings(cluster) == [])
    await server.stop()
    try await cluster.query("UPDATE photos SET random_id = repeat('a', 41)")
    try await cluster.query("INSERT INTO uploads VALUES ('\(id)', 0)")
    #expect(try await findings(cluster) == ["stale_upload", "missing_file"])
    #expect(try await findings(cluster, ["--repair"]) == ["stale_upload", "missing_file"])
    #expect(try await cluster.query("SELECT random_id FROM uploads").isEmpty)
    #expect(try await cluster.query("SELECT count(*) FROM photos") == ["1"])
    try await cluster.query("DELETE FROM schema_migrations")
    #expect(try await findings(cluster) == ["schema"])
    #expect(try await cluster.query("SELECT name FROM schema_migrations").isEmpty)
    try await cluster.run(
      ["doctor", "--repair", "--drop-missing"], status: 2, saying: "--drop-missing works only on a storage folder")
  }
}
