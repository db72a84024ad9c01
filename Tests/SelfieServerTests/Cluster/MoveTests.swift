import Foundation
import Glibc
import SQLite
import TestSupport
import Testing
import Torture
import SQL

/// `selfie-server-cluster move`.
@Suite(.enabled(if: !TestCluster.stores.isEmpty, "\(TestCluster.whatIsNeeded)"), .timeLimit(.minutes(10)))
struct MoveTests {
  /// What three apps have stored, and how they are signed in.
  private struct Stored {
    let folder: TemporaryFolder
    let app: TutorialApp
    let images: [[UInt8]]
    let selfies: [TutorialApp.Selfie]
    /// The lists of the other two apps, as they are sent.
    let others: [String]

    var ids: [String] { selfies.map(\.id) }
  }

  /// A folder in which a server has run, whose last ids are of rows that are gone.
  private func storage() async throws -> Stored {
    let server = try ServerProcess(environment: TestCluster.credentials)
    let folder = server.folder
    let app = try await server.app()
    for email in ["jane@example.com", "last@example.com"] {
      try await app.makeSignUpRequest(name: "Jane \u{1f98a}", email: email)
    }
    try await app.makeSignInRequest()
    let images = [PNG.random(1_470_000), PNG.random(100)]
    var selfies: [TutorialApp.Selfie] = []
    for image in images { selfies.append(try await app.postBtnTapped(image: image, title: "Me & \"you\"")) }
    try await app.deleteSelfie(try await app.postBtnTapped(image: images[1], title: "gone").id)
    let (email, password) = ("jane@example.com", "secret12")
    let note = app.requests.createNote(email, password, title: "title", body: "body \u{1f98a}")
    #expect(try await RawClient.response(to: note, at: app.origin).status == 201)
    var cookie = ""
    for path in ["/users/register", "/users/login"] {
      let request = AppRequest("POST", path, ["name": "jane", "password": password])
      cookie = try await RawClient.response(to: request, at: app.origin)["set-cookie"] ?? ""
    }
    let fields = ["Content-Type: application/json", "Cookie: \(cookie.prefix { $0 != ";" })"]
    let post = AppRequest("POST", "/blogposts", fields, body: Array(#"{"id":null,"text":"hello"}"#.utf8))
    #expect(try await RawClient.response(to: post, at: app.origin).status == 200)
    let others = try await lists(of: app)
    await server.stop()
    try await folder.run("user delete last@example.com --yes")
    return Stored(folder: folder, app: app, images: images, selfies: selfies, others: others)
  }

  private func lists(of app: TutorialApp) async throws -> [String] {
    var lists: [String] = []
    for request in [app.requests.notes("jane@example.com", "secret12"), AppRequest("GET", "/blogposts")] {
      let response = try await RawClient.response(to: request, at: app.origin)
      try #require(response.status == 200)
      lists.append(response.text)
    }
    return lists
  }

  /// Expects everything on a server that was moved there, and that nobody was signed out.
  private func expect(_ stored: Stored, on server: ServerProcess) async throws -> TutorialApp {
    let app = try await server.app(token: stored.app.token)
    let selfies = try await app.loadSelfieData()
    #expect(selfies.map(\.id) == stored.ids)
    for (selfie, image) in zip(selfies, stored.images) {
      #expect(try await app.download(selfie.url).body == image)
    }
    #expect(try await lists(of: app) == stored.others)
    return app
  }

  @Test func `everything moves to a cluster and back, and nobody is signed out`() async throws {
    let cluster = try await TestCluster()
    let stored = try await storage()
    let tokens = try await rows(of: "tokens", in: stored.folder)
    let identity = try await rows("id", of: "storage_identity", in: stored.folder)
    let outcome = try await cluster.run(["move", "--to-cluster"], in: stored.folder)
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
    #expect(try await cluster.query("SELECT id FROM storage_identity") == identity)
    // Whoever starts the old server by mistake would have two that differ from then on.
    try await stored.folder.run(
      "serve", environment: TestCluster.credentials, status: 1, saying: "was moved to a cluster. Set DATABASE_URL")

    let server = try cluster.start()
    let app = try await expect(stored, on: server)
    try await app.postBtnTapped(image: stored.images[1], title: "new")
    // The ids of the photo and the user that were deleted before the move do not come again.
    #expect(try await cluster.query("SELECT id FROM photos ORDER BY id") == ["1", "2", "4"])
    try await app.makeSignUpRequest(email: "ada@example.com")
    #expect(try await cluster.query("SELECT id FROM users ORDER BY id") == ["1", "3"])
    try await app.deleteSelfie(try #require(try await app.loadSelfieData().last?.id))
    await server.stop()

    let folder = try TemporaryFolder()
    try await cluster.run(["move", "--from-cluster"], in: folder)
    let first = try ServerProcess(environment: TestCluster.credentials, in: folder)
    try await expect(stored, on: first).postBtnTapped(image: stored.images[1], title: "newest")
    await first.stop()
    #expect(try await rows("id", of: "photos", in: folder) == ["1", "2", "5"])
    #expect(try await rows("id", of: "storage_identity", in: folder) == identity)
    try await folder.run("doctor")
  }

  @Test func `a move that was killed goes on`() async throws {
    let cluster = try await TestCluster()
    let stored = try await storage()
    // A page of rows, and as many as are still under way when the first page is seen.
    let count = 540
    try await Blocking.run { try Self.multiply(stored.ids[1], to: count, in: stored.folder) }
    try await cluster.start().listening().stop()
    let first = try cluster.start(["move", "--to-cluster"], in: stored.folder)
    try await waitUntil { try await cluster.query("SELECT count(*) FROM users") != ["0"] }
    await first.kill()
    #expect(try await cluster.query("SELECT count(*) FROM photos") == ["0"])
    let second = try cluster.start(["move", "--to-cluster"], in: stored.folder)
    try await waitUntil { try await cluster.query("SELECT count(*) FROM photos") != ["0"] }
    second.signal(SIGKILL)
    _ = await second.status()

    for _ in 1...2 {
      try await cluster.run(["move", "--to-cluster"], in: stored.folder)
      #expect(try await cluster.query("SELECT count(*) FROM photos") == ["\(count)"])
    }
    let server = try cluster.start()
    let app = try await server.app(token: stored.app.token)
    let selfies = try await app.loadSelfieData()
    #expect(selfies.count == count)
    #expect(try await app.download(try #require(selfies.last).url).body == stored.images[1])
    await server.stop()

    let folder = try TemporaryFolder()
    let back = try cluster.start(["move", "--from-cluster"], in: folder)
    try await waitUntil { try folder.exists("storage/photos") && !folder.files(in: "storage/photos").isEmpty }
    back.signal(SIGKILL)
    _ = await back.status()
    try await cluster.run(["move", "--from-cluster"], in: folder)
    #expect(try folder.files(in: "storage/photos").count == count)
    #expect(try folder.files(in: "storage/incoming").isEmpty)
  }

  @Test func `a folder that a server uses is not moved, and neither is one into a target with other data`() async throws
  {
    let cluster = try await TestCluster()
    let stored = try await storage()
    let move = ["move", "--to-cluster"]
    let running = try await ServerProcess(environment: TestCluster.credentials, in: stored.folder).listening()
    try await cluster.run(move, in: stored.folder, status: 1, saying: "is in use by selfie-server")
    await running.stop()

    let others = try cluster.start()
    try await others.app().makeSignUpRequest(email: "ada@example.com")
    try await cluster.run(move, in: stored.folder, status: 1, saying: "Other processes use the cluster: selfie-server ")
    await others.stop()
    for command in [["move", "--from-cluster"], move] {
      try await cluster.run(
        command, in: stored.folder, status: 1, saying: "The target has other rows in users than the source.")
    }
    #expect(try await cluster.query("SELECT email FROM users") == ["ada@example.com"])
    #expect(!stored.folder.exists("storage/moved"))
    try await ServerProcess.run(
      move, in: stored.folder, status: 1, saying: "DATABASE_URL and the S3_ settings are not set.")
  }

  @Test func `what cannot be moved is named, and stops the move unless it is left behind`() async throws {
    let cluster = try await TestCluster()
    let stored = try await storage()
    try stored.folder.execute("UPDATE blogposts SET text = 'a' || char(0) || 'b'")
    try stored.folder.execute("UPDATE notes SET title = CAST(x'41ff' AS TEXT)")
    try await cluster.run(
      ["move", "--to-cluster"], in: stored.folder, status: 1,
      saying: "blogposts 1: a text has a NUL character, which PostgreSQL cannot store",
      "notes 1: a text is not UTF-8, so PostgreSQL cannot store it",
      "2 rows cannot be moved. Fix the rows listed above, or pass --skip-invalid")
    #expect(try await cluster.query("SELECT id FROM users").isEmpty)

    let library = try FaultsLibrary.build("\(checkout)/Tests/Faults/Faults.c", in: stored.folder.path)
    try stored.folder.write("read 5 -1 *\(stored.ids[0])\n", to: "faults")
    try await cluster.run(
      ["move", "--to-cluster", "--skip-invalid"],
      ["LD_PRELOAD": library, "FAULTS": "\(stored.folder.path)/faults"], in: stored.folder, status: 1,
      saying: "photos 1: its file cannot be read: Input/output error")
    try stored.folder.execute("UPDATE photos SET sha256 = zeroblob(32) WHERE id = 1")
    let skipped = try await cluster.run(
      ["move", "--to-cluster", "--skip-invalid"], in: stored.folder, status: 1,
      saying: "photos 1: its bytes differ from those that were uploaded")
    #expect(skipped.output.contains("Skipped: 3 rows, listed above."), "\(skipped)")
    #expect(try await cluster.query("SELECT random_id FROM photos") == [stored.ids[1]])
    #expect(try await cluster.query("SELECT id FROM blogposts").isEmpty)
  }

  // MARK: - The database's file

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
          Query(
            """
            INSERT INTO photos (random_id, user_id, name, title, byte_count, content_type, created_at, updated_at, sha256)
            SELECT ?, user_id, name, title, byte_count, content_type, created_at, updated_at, sha256 FROM photos
            WHERE random_id = ?
            """, .text(copy), .text(id)))
      }
    }
    connection.close()
  }

  private static func connection(to folder: TemporaryFolder) throws -> Connection {
    try Connection(path: "\(folder.path)/storage/selfie.sqlite3", mode: .readWrite)
  }
}
