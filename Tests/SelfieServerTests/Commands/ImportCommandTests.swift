import APITestSupport
import Foundation
import SQL
import SQLite
import SelfieAPI
import TestSupport
import Testing
import Torture

/// An export of the Rails original.
enum RailsExport {
  static let folder = "\(checkout)/Tests/SelfieOperationsTests/RailsImport/Export"
  static let arguments = ["import", "--from", "\(folder)/railsauth.sql", "--photos", "\(folder)/s3"]
  /// The pair that its app was built with.
  static let credentials = ["API_AUTH_NAME": APIFixture.authName, "API_AUTH_PASSWORD": APIFixture.authPassword]
}

extension ServerProcess {
  /// The app of the export's user carol, signed in, after a look at her photos.
  func appOfImportedCarol() async throws -> TutorialApp {
    let app = try await app()
    try await app.makeSignInRequest(email: "carol@example.com", password: "password-carol")
    let selfies = try await app.loadSelfieData()
    #expect(selfies.map(\.title) == ["carol selfie 0 \"quoted\" <b>", "carol selfie 1 \"quoted\" <b>"])
    for selfie in selfies {
      let original = try Data(contentsOf: URL(fileURLWithPath: "\(RailsExport.folder)/s3/\(selfie.id)"))
      #expect(try await app.download(selfie.url).body == Array(original))
    }
    return app
  }
}

@Suite(.timeLimit(.minutes(10))) struct ImportCommandTests {
  private static let arguments = RailsExport.arguments

  /// The contents of every file below the folder but the lock.
  private func contents(_ folder: TemporaryFolder) throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try folder.contents() where !name.hasSuffix("/lock") {
      contents[name] = FileManager.default.contents(atPath: "\(folder.path)/\(name)") ?? Data()
    }
    return contents
  }

  @Test func `a photo that cannot be read is refused, and all others are imported`() async throws {
    let folder = try TemporaryFolder()
    let bad = try #require(
      FileManager.default.contentsOfDirectory(atPath: "\(RailsExport.folder)/s3").sorted().first { $0.count == 41 })
    let library = try FaultsLibrary.build("\(checkout)/Tests/Faults/Faults.c", in: folder.path)
    try folder.write("read 5 -1 */s3/\(bad)\n", to: "faults")
    let outcome = try await ServerProcess.run(
      Self.arguments + ["--write"], environment: ["LD_PRELOAD": library, "FAULTS": "\(folder.path)/faults"], in: folder,
      status: 1)
    #expect(outcome.output.contains { $0.hasSuffix("\(bad) cannot be read: Input/output error") }, "\(outcome)")
    let count = try folder.files(in: "storage/photos").count
    #expect(outcome.output.contains { $0.hasPrefix("Photos: \(count) new, 1 refused; ") }, "\(outcome)")
    #expect(try folder.files(in: "storage/incoming") == [])
    try await folder.run("doctor")
  }

  @Test func `what the original had is served`() async throws {
    let folder = try TemporaryFolder()
    let rehearsal = try await ServerProcess.run(Self.arguments, in: folder)
    // How many tokens still live depends on the day of the test.
    #expect(
      rehearsal.output.filter { !$0.hasPrefix("Tokens:") } == [
        "Users:  2 new, 0 refused",
        "Photos: 4 new, 0 refused; 624 B to copy",
        "Tables skipped: schema_migrations (3 rows)",
        "Nothing was written. Add --write to import this.",
      ])
    try await ServerProcess.run(
      Self.arguments + ["--storage-dir", "elsewhere"], in: folder, status: 1,
      saying: "STORAGE_DIR is elsewhere, but there is no such folder.")
    #expect(try folder.contents().isEmpty)

    let outcome = try await ServerProcess.run(Self.arguments + ["--write"], in: folder)
    #expect(outcome.output.contains("Photos: 4 new, 0 refused; 624 B copied"))
    #expect(outcome.errors.isEmpty)
    #expect(try folder.permissions(of: "storage/selfie.sqlite3") == 0o600)

    let written = try contents(folder)
    for arguments in [Self.arguments, Self.arguments + ["--write"]] {
      try await ServerProcess.run(
        arguments, in: folder, status: 1,
        saying: "The storage has 2 users already, and an import needs an empty one. Set STORAGE_DIR to an empty folder")
      #expect(try contents(folder) == written)
    }

    let server = try ServerProcess(environment: RailsExport.credentials, in: folder)
    _ = try await server.appOfImportedCarol()
    try await ServerProcess.run(
      Self.arguments, in: folder, status: 1,
      saying: "storage is in use by selfie-server (pid \(server.pid)", "Stop it first")
  }

  @Test func `refused rows are listed with their lines`() async throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("bucket")
    try folder.write(
      """
      COPY public.users (id, email, password_hash) FROM stdin;
      1\tjane@example.com\tsecret
      2\t\u{1b}[2J@example.com\tx
      \\.

      """, to: "dump.sql")
    let arguments = ["import", "--from", "dump.sql", "--photos", "bucket"]
    for arguments in [arguments, arguments + ["--write"]] {
      let outcome = try await ServerProcess.run(arguments, in: folder, status: 1)
      #expect(
        outcome.output.prefix(5) == [
          "Not imported:", "  line 2: user 1 <jane@example.com>: its password_hash is not a bcrypt hash",
          "  line 3: user 2 <\\u{1b}[2J@example.com>: its password_hash is not a bcrypt hash",
          "Users:  0 new, 2 refused",
          "Tokens: 0 new, 0 refused, 0 expired",
        ])
      #expect(outcome.output.contains("The dump has no table photos."))
    }
  }

  @Test(arguments: [
    ("dump.sql", "bucket", ["dump.sql cannot be imported.", "line 2: id is not a whole number.", "and 2 more"]),
    ("none.sql", "bucket", ["none.sql cannot be read: No such file or directory."]),
    ("bucket", "bucket", ["is pg_dump's directory format. Make a plain dump: pg_restore -f plain.sql bucket"]),
    ("dump.sql", "none", ["--photos is none, but there is no such folder."]),
    ("dump.sql", "dump.sql", ["--photos is dump.sql, but there is no such folder."]),
  ])
  func `what cannot be read changes nothing`(_ dump: String, _ photos: String, _ expected: [String]) async throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("bucket")
    try folder.write(
      "COPY public.users (id, email, password_hash) FROM stdin;\n" + String(repeating: "x\ta\th\n", count: 22)
        + "\\.\n",
      to: "dump.sql")
    let before = try folder.contents()
    let outcome = try await folder.run("import --from \(dump) --photos \(photos) --write", status: 2)
    for text in expected { #expect(outcome.message.contains(text), "\(outcome)") }
    #expect(outcome.output.isEmpty)
    #expect(try folder.contents() == before)
  }

  @Test func `a rehearsal does not bring the database up to date`() async throws {
    let folder = try TemporaryFolder()
    // A database as a server of an earlier version leaves it.
    try folder.makeFolder("storage")
    let earlier = try Connection(path: "\(folder.path)/storage/selfie.sqlite3", mode: .readWrite)
    _ = try Migrations(Array(Migrations.sqlite.steps.prefix(3))).run(on: earlier, now: 0)
    earlier.close()
    let before = try contents(folder)
    #expect(before.keys.contains("storage/selfie.sqlite3"))
    let rehearsal = try await ServerProcess.run(Self.arguments, in: folder)
    #expect(rehearsal.output.first == "Users:  2 new, 0 refused")
    #expect(try contents(folder) == before)
  }
}
