import Foundation
import Glibc
import SQLite
import TestSupport
import Testing

/// `selfie-server-cluster move`.
@Suite(.enabled(if: !TestCluster.stores.isEmpty, "\(TestCluster.whatIsNeeded)"), .timeLimit(.minutes(10)))
struct MoveTests {
  private static let password = "secret12"
  private static let credentials = [
    "API_AUTH_NAME": TestCluster.credentials.name, "API_AUTH_PASSWORD": TestCluster.credentials.password,
  ]

  /// A server that keeps everything in its folder.
  private func server(in folder: TemporaryFolder) throws -> ServerProcess {
    try ServerProcess(environment: Self.credentials, in: folder)
  }

  /// The app on another server, signed in as it was.
  private func app(
    _ app: TutorialApp, on server: ServerProcess, of cluster: TestCluster
  ) async throws -> TutorialApp {
    let other = try await cluster.app(of: server)
    other.helper.keychain["Auth_Token"] = app.helper.keychain["Auth_Token"]
    return other
  }

  /// What three apps have stored, and how they are signed in.
  private struct Stored {
    let folder: TemporaryFolder
    let app: TutorialApp
    let images: [Data]
    let selfies: [TutorialApp.Selfie]
    let note: NotesApp.Note
    let post: String

    var ids: [String] { selfies.map(\.id) }
  }

  /// A folder in which a server has run, whose last ids are of rows that are gone.
  private func storage(_ cluster: TestCluster) async throws -> Stored {
    let folder = try TemporaryFolder()
    let server = try server(in: folder)
    let address = "http://127.0.0.1:\(try await server.port())"
    let app = try await cluster.app(of: server)
    for email in ["jane@example.com", "last@example.com"] {
      try await app.makeSignUpRequest(name: "Jane \u{1f98a}", email: email, password: Self.password)
    }
    try await app.makeSignInRequest(email: "jane@example.com", password: Self.password)
    let images = [PNG.random(width: 700, height: 700), PNG.random(width: 3, height: 3)]
    var selfies: [TutorialApp.Selfie] = []
    for image in images { selfies.append(try await app.postBtnTapped(image: image, title: "Me & \"you\"")) }
    try await app.deleteSelfie(try await app.postBtnTapped(image: images[1], title: "gone").id)
    let notes = NotesApp(address, email: "jane@example.com", password: Self.password)
    let note = try await notes.createNote(title: "title", body: "body \u{1f98a}")
    let microblog = MicroblogApp(address)
    try await microblog.register("jane", Self.password)
    try await microblog.login("jane", Self.password)
    let post = try await microblog.sendPost("hello")
    await server.stop()
    #expect(
      try await ServerProcess.run(["user", "delete", "last@example.com", "--yes"], in: folder).status == 0)
    return Stored(folder: folder, app: app, images: images, selfies: selfies, note: note, post: post)
  }

  /// Expects everything on a server that was moved there.
  private func expect(_ stored: Stored, on server: ServerProcess, of cluster: TestCluster) async throws {
    let app = try await app(stored.app, on: server, of: cluster)
    let selfies = try await app.loadSelfieData()
    #expect(selfies.map(\.id) == stored.ids)
    for (selfie, image) in zip(selfies, stored.images) {
      #expect(try await app.helper.download(selfie.url).data == image)
    }
    let address = "http://127.0.0.1:\(try await server.port())"
    let notes = NotesApp(address, email: "jane@example.com", password: Self.password)
    #expect(try await notes.getIndex() == [stored.note])
    #expect(try await MicroblogApp(address).loadPosts().map(\.id) == [stored.post])
  }

  @Test func `everything moves to a cluster and back, and nobody is signed out`() async throws {
    let cluster = try await TestCluster()
    let stored = try await storage(cluster)
    let tokens = try await rows(of: "tokens", in: stored.folder)
    let outcome = try await cluster.run(["move", "--to-cluster"], in: stored.folder)
    try #require(outcome.status == 0, "\(outcome)")
    let expected = [
      "users": 1, "microblog_users": 1, "tokens": 1, "notes": 1, "microblog_sessions": 1, "blogposts": 1, "photos": 2,
    ]
    for (table, count) in expected {
      #expect(try await cluster.query("SELECT count(*) FROM \(table)") == ["\(count)"])
      let lines = outcome.output.map { $0.split(separator: " ") }
      #expect(
        lines.contains { $0.count == 3 && $0[0] == table && $0[1] == "\(count)" && $0[2].count == 64 }, "\(outcome)")
    }
    #expect(try await cluster.query("SELECT encode(digest, 'hex') FROM tokens") == tokens)
    #expect(try await cluster.query("SELECT count(*) FROM photos WHERE sha256 IS NULL") == ["0"])
    // Whoever starts the old server by mistake would have two that differ from then on.
    let mistake = try await ServerProcess.run(["serve"], environment: Self.credentials, in: stored.folder)
    #expect(mistake.status == 1)
    #expect(mistake.message.contains("was moved to a cluster. Set DATABASE_URL"), "\(mistake)")

    let server = try cluster.start()
    try await expect(stored, on: server, of: cluster)
    let app = try await app(stored.app, on: server, of: cluster)
    _ = try await app.postBtnTapped(image: stored.images[1], title: "new")
    // The ids of the photo and the user that were deleted before the move do not come again.
    #expect(try await cluster.query("SELECT id FROM photos ORDER BY id") == ["1", "2", "4"])
    try await app.makeSignUpRequest(name: "Ada", email: "ada@example.com", password: Self.password)
    #expect(try await cluster.query("SELECT id FROM users ORDER BY id") == ["1", "3"])
    try await app.deleteSelfie(try #require(try await app.loadSelfieData().last?.id))
    await server.stop()

    let folder = try TemporaryFolder()
    let back = try await cluster.run(["move", "--from-cluster"], in: folder)
    try #require(back.status == 0, "\(back)")
    let first = try self.server(in: folder)
    try await expect(stored, on: first, of: cluster)
    let again = try await self.app(stored.app, on: first, of: cluster)
    _ = try await again.postBtnTapped(image: stored.images[1], title: "newest")
    await first.stop()
    #expect(try await rows("id", of: "photos", in: folder) == ["1", "2", "5"])
    let doctor = try await ServerProcess.run(["doctor"], in: folder)
    #expect(doctor.status == 0, "\(doctor)")
  }

  @Test func `a move that was killed goes on`() async throws {
    let cluster = try await TestCluster()
    let stored = try await storage(cluster)
    // A page of rows, and as many as are still under way when the first page is seen.
    let count = 540
    try await Blocking.run { try Self.multiply(stored.ids[1], to: count, in: stored.folder) }
    let empty = try cluster.start()
    _ = try await empty.port()
    await empty.stop()
    let first = try ServerProcess(
      ["move", "--to-cluster"], of: ServerProcess.clusterExecutable, environment: cluster.environment,
      in: stored.folder)
    try await waitUntil { try await cluster.query("SELECT count(*) FROM users") != ["0"] }
    first.signal(SIGKILL)
    #expect(await first.status() == -SIGKILL)
    #expect(try await cluster.query("SELECT count(*) FROM photos") == ["0"])
    let second = try ServerProcess(
      ["move", "--to-cluster"], of: ServerProcess.clusterExecutable, environment: cluster.environment,
      in: stored.folder)
    try await waitUntil { try await cluster.query("SELECT count(*) FROM photos") != ["0"] }
    second.signal(SIGKILL)
    _ = await second.status()

    for _ in 1...2 {
      let outcome = try await cluster.run(["move", "--to-cluster"], in: stored.folder)
      try #require(outcome.status == 0, "\(outcome)")
      #expect(try await cluster.query("SELECT count(*) FROM photos") == ["\(count)"])
    }
    let server = try cluster.start()
    let app = try await app(stored.app, on: server, of: cluster)
    let selfies = try await app.loadSelfieData()
    #expect(selfies.count == count)
    #expect(try await app.helper.download(try #require(selfies.last).url).data == stored.images[1])
    await server.stop()

    let folder = try TemporaryFolder()
    let back = try ServerProcess(
      ["move", "--from-cluster"], of: ServerProcess.clusterExecutable, environment: cluster.environment, in: folder)
    try await waitUntil { try folder.exists("storage/photos") && !folder.files(in: "storage/photos").isEmpty }
    back.signal(SIGKILL)
    _ = await back.status()
    let outcome = try await cluster.run(["move", "--from-cluster"], in: folder)
    try #require(outcome.status == 0, "\(outcome)")
    #expect(try folder.files(in: "storage/photos").count == count)
    #expect(try folder.files(in: "storage/incoming").isEmpty)
  }

  @Test func `a folder that a server uses is not moved, and neither is one into a target with other data`() async throws
  {
    let cluster = try await TestCluster()
    let stored = try await storage(cluster)
    let running = try server(in: stored.folder)
    _ = try await running.port()
    let used = try await cluster.run(["move", "--to-cluster"], in: stored.folder)
    #expect(used.status == 1)
    #expect(used.message.contains("is in use by another selfie-server"), "\(used)")
    await running.stop()

    let others = try cluster.start()
    try await cluster.app(of: others).makeSignUpRequest(
      name: "Ada", email: "ada@example.com", password: Self.password)
    let refused = try await cluster.run(["move", "--to-cluster"], in: stored.folder)
    #expect(refused.status == 1)
    #expect(refused.message.contains("Others use the cluster: selfie-server "), "\(refused)")
    await others.stop()
    let taken = try await cluster.run(["move", "--to-cluster"], in: stored.folder)
    #expect(taken.status == 1)
    #expect(taken.message.contains("The target has other rows in users than the source."), "\(taken)")
    #expect(try await cluster.query("SELECT email FROM users") == ["ada@example.com"])
    #expect(!stored.folder.exists("storage/moved"))
    let back = try await cluster.run(["move", "--from-cluster"], in: stored.folder)
    #expect(back.status == 1)
    #expect(back.message.contains("The target has other rows in users than the source."), "\(back)")
    let nowhere = try await ServerProcess.run(["move", "--to-cluster"], in: stored.folder)
    #expect(nowhere.message.contains("DATABASE_URL and the settings of S3 are not set."), "\(nowhere)")
  }

  @Test func `what cannot be moved is named, and stops the move unless it is left behind`() async throws {
    let cluster = try await TestCluster()
    let stored = try await storage(cluster)
    try await execute("UPDATE blogposts SET text = 'a' || char(0) || 'b'", in: stored.folder)
    try await execute("UPDATE notes SET title = CAST(x'41ff' AS TEXT)", in: stored.folder)
    let refused = try await cluster.run(["move", "--to-cluster"], in: stored.folder)
    #expect(refused.status == 1)
    #expect(refused.errors.contains("blogposts 1: a text has a NUL character, which PostgreSQL cannot store"))
    #expect(refused.errors.contains("notes 1: a text is not UTF-8, so PostgreSQL cannot store it"))
    #expect(refused.message.contains("2 rows cannot be moved. Fix the rows listed above, or pass --skip-invalid"))
    #expect(try await cluster.query("SELECT id FROM users").isEmpty)

    try await execute("UPDATE photos SET sha256 = zeroblob(32) WHERE id = 1", in: stored.folder)
    let skipped = try await cluster.run(["move", "--to-cluster", "--skip-invalid"], in: stored.folder)
    #expect(skipped.status == 1)
    #expect(
      skipped.errors.contains { $0.hasPrefix("photos 1: its bytes are not those that were uploaded") }, "\(skipped)")
    #expect(skipped.output.contains("Left behind: 3 rows, named above."), "\(skipped)")
    #expect(try await cluster.query("SELECT random_id FROM photos") == [stored.ids[1]])
    #expect(try await cluster.query("SELECT id FROM blogposts").isEmpty)
  }

  // MARK: - The database's file

  private func execute(_ sql: String, in folder: TemporaryFolder) async throws {
    try await Blocking.run { try Self.connection(to: folder).execute(sql) }
  }

  /// A column of all rows, as text; of blobs in hexadecimal.
  private func rows(
    _ column: String = "lower(hex(digest))", of table: String, in folder: TemporaryFolder
  ) async throws -> [String] {
    try await Blocking.run {
      let connection = try Self.connection(to: folder)
      // A statement must be static, and this one is of a test's own making.
      try connection.execute("CREATE TEMP VIEW shown AS SELECT CAST(\(column) AS TEXT) FROM \(table)")
      return try connection.query("SELECT * FROM shown") { $0.text(0) ?? "" }
    }
  }

  /// Gives a photo's user so many photos, all of its bytes.
  private static func multiply(_ id: String, to count: Int, in folder: TemporaryFolder) throws {
    let connection = try connection(to: folder)
    let present = Int(try connection.first("SELECT count(*) FROM photos") { $0.integer(0) } ?? 0)
    let letters = Array("abcdefghijklmnopqrstuvwxyz")
    let beginning = String(id.dropLast(4)) + (id.dropLast(3).hasSuffix("a") ? "b" : "a")
    try connection.transaction {
      for number in present..<count {
        let copy = beginning + String([26 * 26, 26, 1].map { letters[number / $0 % 26] })
        try folder.link("storage/photos/\(id.prefix(2))/\(id)", to: "storage/photos/\(id.prefix(2))/\(copy)")
        try connection.run(
          """
          INSERT INTO photos (random_id, user_id, name, title, byte_count, content_type, created_at, updated_at, sha256)
          SELECT ?, user_id, name, title, byte_count, content_type, created_at, updated_at, sha256 FROM photos
          WHERE random_id = ?
          """, .text(copy), .text(id))
      }
    }
    connection.close()
  }

  private static func connection(to folder: TemporaryFolder) throws -> Connection {
    try Connection(path: "\(folder.path)/storage/selfie.sqlite3", mode: .readWrite)
  }
}
