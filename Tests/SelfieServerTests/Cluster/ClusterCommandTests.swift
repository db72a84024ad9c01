import APITestSupport
import Foundation
import TestSupport
import Testing

/// What the owner's commands do to a cluster, with a server that runs on the machine and without.
@Suite(.enabled(if: !TestCluster.stores.isEmpty, "\(TestCluster.whatIsNeeded)"), .timeLimit(.minutes(10)))
struct ClusterCommandTests {
  private static let email = "jane@example.com"
  private static let password = "secret12"

  /// A cluster with a user who has signed in and has a photo, and the process that has served that.
  private func cluster() async throws -> (TestCluster, ServerProcess, TutorialApp, Data, id: String) {
    let cluster = try await TestCluster()
    // A sweep as early as this is allowed because of the other setting only.
    let server = try cluster.start(["MAX_PHOTO_BYTES": "4194304", "SWEEP_AFTER": "600"])
    let app = try await cluster.app(of: server)
    try await app.makeSignUpRequest(name: "Jane Doe", email: Self.email, password: Self.password)
    try await app.makeSignInRequest(email: Self.email, password: Self.password)
    let image = PNG.random(width: 800, height: 700)
    let selfie = try await app.postBtnTapped(image: image, title: "one")
    return (cluster, server, app, image, selfie.id)
  }

  private func json(
    _ arguments: [String], _ cluster: TestCluster, in folder: TemporaryFolder
  ) async throws -> [[String: Any]] {
    let outcome = try await cluster.run(arguments + ["--json"], in: folder)
    try #require(outcome.status == 0, "\(outcome)")
    let value = try JSONSerialization.jsonObject(with: Data(outcome.output.joined(separator: "\n").utf8))
    return try #require(value as? [[String: Any]], "\(outcome)")
  }

  @Test(arguments: [true, false]) func `users, tokens and photos can be listed, changed and deleted`(
    isRunning: Bool
  ) async throws {
    let (cluster, server, app, image, id) = try await cluster()
    // Of another machine, or of the server's.
    let folder = isRunning ? server.folder : try TemporaryFolder()
    let made = try await ServerProcess.run(
      ["user", "create", "ada@example.com", "--name", "Ada King"], of: ServerProcess.clusterExecutable,
      environment: cluster.environment, in: folder, input: "secret12")
    #expect(made.status == 0, "\(made)")
    let users = try await json(["user", "list"], cluster, in: folder)
    #expect(users.map { $0["email"] as? String } == ["ada@example.com", Self.email])
    #expect(users[1]["photos"] as? Int == 1 && users[1]["bytes"] as? Int == image.count)
    try await cluster.app(of: server).makeSignInRequest(email: "ada@example.com", password: "secret12")

    let status = try await cluster.run(["status"], in: folder)
    #expect(status.status == 0, "\(status)")
    #expect(status.output.contains { $0.hasPrefix("Photos") && $0.hasSuffix(" 1") }, "\(status)")

    let photo = try #require(try await json(["photo", "list", Self.email], cluster, in: folder).first)
    #expect(photo["random_id"] as? String == id && photo["email"] as? String == Self.email)
    let exported = try await cluster.run(["photo", "export", id, "copy-\(isRunning).png"], in: folder)
    #expect(exported.status == 0, "\(exported)")
    #expect(try folder.bytes(of: "copy-\(isRunning).png") == [UInt8](image))

    let tokens = try await json(["token", "list", Self.email], cluster, in: folder)
    let token = try #require(tokens.first?["id"] as? String)
    #expect(tokens.count == 1 && tokens[0]["email"] as? String == Self.email)
    #expect(try await cluster.run(["token", "revoke", token], in: folder).status == 0)
    await #expect(throws: TutorialApp.Alert.self) { _ = try await app.loadSelfieData() }

    #expect(try await cluster.run(["user", "disable", Self.email], in: folder).status == 0)
    await #expect(throws: TutorialApp.Alert.self) {
      try await app.makeSignInRequest(email: Self.email, password: Self.password)
    }
    #expect(try await cluster.run(["user", "enable", Self.email], in: folder).status == 0)
    let changed = try await ServerProcess.run(
      ["user", "set-password", Self.email], of: ServerProcess.clusterExecutable, environment: cluster.environment,
      in: folder, input: "secret34")
    #expect(changed.status == 0, "\(changed)")
    try await app.makeSignInRequest(email: Self.email, password: "secret34")

    #expect(try await cluster.run(["photo", "delete", id, "--yes"], in: folder).status == 0)
    #expect(try await app.loadSelfieData().isEmpty)
    #expect(try await cluster.run(["user", "delete", Self.email, "--yes"], in: folder).status == 0)
    #expect(try await cluster.query("SELECT email FROM users") == ["ada@example.com"])
    let nobody = try await cluster.run(["user", "show", Self.email], in: folder)
    #expect(nobody.status == 1)
    #expect(nobody.message.contains("There is no user with the email \(Self.email)."), "\(nobody)")
    await server.stop()
  }

  @Test func `what the Rails original had is imported, once`() async throws {
    let cluster = try await TestCluster()
    let export = "\(checkout)/Tests/SelfieOperationsTests/RailsImport/Export"
    let arguments = ["import", "--from", "\(export)/railsauth.sql", "--photos", "\(export)/s3"]
    let rehearsal = try await cluster.run(arguments)
    #expect(rehearsal.status == 0, "\(rehearsal)")
    #expect(rehearsal.output.contains("Users:  2 taken, 0 already there, 0 refused"), "\(rehearsal)")
    #expect(try await cluster.query("SELECT id FROM users").isEmpty)
    for (taken, there) in [(4, 0), (0, 4)] {
      let outcome = try await cluster.run(arguments + ["--write"])
      #expect(outcome.status == 0, "\(outcome)")
      #expect(
        outcome.output.contains { $0.hasPrefix("Photos: \(taken) taken, \(there) already there, 0 refused") },
        "\(outcome)")
    }
    #expect(try await cluster.query("SELECT random_id FROM uploads").isEmpty)

    // The pair that the export's app was built with.
    let credentials = ["API_AUTH_NAME": APIFixture.authName, "API_AUTH_PASSWORD": APIFixture.authPassword]
    let server = try cluster.start(credentials)
    let app = try await appOfImportedCarol(port: try await server.port(), export: export)
    let ids = try await cluster.query("SELECT id FROM photos ORDER BY id")
    _ = try await app.postBtnTapped(image: PNG.random(width: 3, height: 3), title: "new")
    #expect(try await cluster.query("SELECT id FROM photos ORDER BY id").dropLast() == ids[...])
    await server.stop()
  }

  /// The kinds and subjects of what doctor finds, but for the settings of the tests' own server.
  private func findings(
    _ cluster: TestCluster, _ arguments: [String] = [], counts expected: [String: Int] = [:]
  ) async throws -> [String] {
    let outcome = try await cluster.run(["doctor", "--json"] + arguments)
    let text = outcome.output.joined(separator: "\n")
    let report = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(outcome)")
    #expect((report["failures"] as? [String]) == [], "\(text)")
    let counts = try #require(report["counts"] as? [String: Int])
    for (name, count) in expected { #expect(counts[name] == count, "\(name): \(text)") }
    let findings = try #require(report["findings"] as? [[String: Any]])
    // fsync is off for the tests, which doctor must say.
    #expect(findings.count { $0["kind"] as? String == "unsafe_setting" } == 1, "\(text)")
    #expect(outcome.status == 1)
    return findings.compactMap { $0["kind"] as? String }.filter { $0 != "unsafe_setting" }
  }

  @Test func `doctor finds what is wrong with rows and objects, and changes what it is told to repair`() async throws {
    let (cluster, server, _, _, id) = try await cluster()
    #expect(try await findings(cluster, counts: ["photos": 1, "digests": 1]) == [])
    #expect(try await findings(cluster, ["--quick"], counts: ["photos": 1, "digests": 0]) == [])
    await server.stop()

    try await cluster.query("UPDATE photos SET random_id = repeat('a', 41)")
    try await cluster.query("INSERT INTO uploads VALUES ('\(id)', 0)")
    try await cluster.query("INSERT INTO removed_photos VALUES (repeat('b', 41), 1)")
    let kinds = ["stale_upload", "removal_pending", "missing_file"]
    #expect(try await findings(cluster) == kinds)
    #expect(try await cluster.query("SELECT random_id FROM uploads") == [id])
    #expect(try await findings(cluster, ["--repair"], counts: ["findings": 4, "repaired": 2]) == kinds)
    #expect(try await cluster.query("SELECT random_id FROM removed_photos").isEmpty)
    try await cluster.query("DELETE FROM schema_migrations")
    #expect(try await findings(cluster) == ["schema"])
    #expect(try await cluster.query("SELECT name FROM schema_migrations").isEmpty)
    let repair = try await cluster.run(["doctor", "--repair", "--drop-missing"])
    #expect(repair.status == 2)
    #expect(repair.message.contains("--drop-missing is for a storage folder"), "\(repair)")
  }
}
