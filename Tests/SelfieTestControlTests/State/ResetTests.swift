import APITestSupport
import HTTPMessages
import SQL
import SQLite
import Synchronization
import SelfieTestDocuments
import Testing

@testable import SelfieAPI
@testable import SelfieTestControl

@Suite(.timeLimit(.minutes(10))) struct ResetTests {
  @Test func `nothing is left, and ids begin at 1 again`() async throws {
    let api = try APIFixture()
    for number in 0..<3 {
      let token = try await api.newUser("user\(number)@example.com")
      for _ in 0..<2 { _ = try await api.newPhoto(token: token) }
    }
    let token = try await api.signIn("user0@example.com")
    let deleted = try await api.newPhoto(token: token)
    _ = await api.deletePhoto(deleted, token: token)

    #expect(try await api.state.reset() == StateCounts(users: 3, tokens: 4, photos: 6))
    let rows: Query = """
      SELECT (SELECT count(*) FROM users) + (SELECT count(*) FROM tokens) + (SELECT count(*) FROM photos)
        + (SELECT count(*) FROM removed_photos) + (SELECT count(*) FROM sqlite_sequence)
      """
    #expect(try api.count(rows) == 0)
    #expect(try api.folder.files(in: "photos") == [])
    #expect(await !api.isAccepted(token))

    _ = try await api.newPhoto(token: try await api.newUser("user1@example.com"))
    #expect(try api.count("SELECT id FROM users") == 1)
    #expect(try api.count("SELECT id FROM photos") == 1)
    #expect(try await api.state.reset() == StateCounts(users: 1, tokens: 1, photos: 1))
    #expect(try await api.state.reset() == StateCounts())
    api.finishFiling()
    #expect(try api.folder.files(in: "incoming") == [])
  }

  @Test func `a reset that fails on a full disk removes no photo`() async throws {
    let api = try APIFixture()
    let token = try await api.newUser()
    _ = try await api.newPhoto(token: token)
    // Whatever is removed makes room in files, and this limit is the database's own.
    try await api.database.write { connection in
      try connection.execute(
        """
        CREATE TABLE room (data);
        CREATE TRIGGER fill BEFORE DELETE ON photos BEGIN INSERT INTO room VALUES (zeroblob(1000000)); END;
        PRAGMA max_page_count = 1
        """)
    }
    let error = await #expect(throws: SQLiteError.self) { try await api.state.reset() }
    #expect(error?.isDiskFull == true)
    // What is durable has rows and files, or neither.
    #expect(try api.folder.files(in: "photos").count == 1)
    try await api.database.write { try $0.execute("DROP TRIGGER fill") }
    #expect(try await api.state.reset().photos == 1)
  }

  @Test(arguments: [("POST", "reset"), ("POST", "snapshots/one/restore"), ("DELETE", "worlds/a")])
  func `an upload whose data is replaced while it arrives stores nothing, and is told so`(
    method: String, address: String
  ) async throws {
    let fixture = try Fixture()
    let user = #"{"email":"jane@example.com","tokens":["ada-token"]}"#
    await fixture.seed(user, world: "a")
    #expect(await fixture.send("PUT", "/__admin/snapshots/one", world: "a").status == 200)
    let upload = HeldBody(MultipartBody.upload(Samples.png, title: "late"))
    let head = Request(
      "POST", "/api/upload_photo",
      fields: [
        ("Host", "localhost"), ("X-Test-World", "a"), ("Authorization", "Token token=ada-token"),
        ("Content-Type", MultipartBody.contentType),
      ]
    ).head
    async let response = fixture.worlds.respond(
      Request(head: head, body: RequestBody(length: nil, source: upload), peer: "127.0.0.1"))
    await upload.reachesMiddle()
    #expect(await fixture.send(method, "/__admin/\(address)", world: method == "POST" ? "a" : nil).status == 200)
    // A snapshot has the user.
    _ = await fixture.send("POST", "/__admin/seed", world: "a", #"{"users":[\#(user)]}"#)
    upload.goOn()
    #expect(await response.status == .unauthorized)
    #expect(try await fixture.worlds.world(named: "a").state.reset() == StateCounts(users: 1, tokens: 1))
  }

  @Test func `a client that had guessed too often may try again`() async throws {
    let api = try APIFixture()
    for _ in 0..<AttemptCounts.maxFailures { #expect(await api.attemptSignIn().status == .badRequest) }
    #expect(await api.attemptSignIn().status == .tooManyRequests)
    try await api.state.reset()
    _ = try await api.newUser()
  }

  @Test func `a digest that was computed before is not noted for a photo that came after`() async throws {
    let api = try APIFixture()
    let database = api.application.database
    let id = try await api.newPhoto(token: try await api.newUser())
    var photo = try #require(try await database.first(PhotoStore.photo(randomID: id), as: Photo.self))
    photo.sha256 = [UInt8](repeating: 7, count: 32)
    try await api.state.reset()
    _ = try await api.newPhoto(token: try await api.newUser())
    try await database.write(about: .all) { [photo] in try $0.setDigests(of: [photo]) }
    #expect(try api.count("SELECT count(*) FROM photos WHERE id = 1 AND sha256 IS NULL") == 1)
  }

  @Test func `concurrent requests leave no row without a file, and no file without a row`() async throws {
    let api = try APIFixture()
    let snapshots = Snapshots(of: api.state)
    let seed = Seed(users: [.init(email: "jane@example.com", tokens: ["jane"], photos: [.init(), .init(title: "2")])])
    _ = try await api.state.seed(seed)
    try await snapshots.save("two-photos")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<120 {
        group.addTask {
          switch number % 8 {
          case 0: try await api.state.reset()
          case 1: try await snapshots.restore("two-photos")
          case 2: _ = try await api.state.export()
          case 3:
            for photo in await api.get("/api/get_photos", as: .holder(of: "jane")).elements {
              guard let id = photo["random_id"] else { continue }
              _ = await api.deletePhoto(id, token: "jane")
            }
          case 4: try await api.application.upkeep.prune()
          case 5: try await api.application.upkeep.noteDigests()
          default:
            let upload = MultipartBody.upload(Samples.bytes(1000 + number), title: "me")
            let response = await api.upload(RequestBody(upload), token: "jane")
            #expect([200, 401, 503].contains(response.status.code), "\(response.text)")
          }
        }
      }
      try await group.waitForAll()
    }
    try await snapshots.restore("two-photos")
    for photo in await api.get("/api/get_photos", as: .holder(of: "jane")).elements {
      #expect(await api.get("/photos/\(photo["random_id"] ?? "")").content == Seed.onePixel)
    }
    api.finishFiling()
    #expect(try api.folder.files(in: "photos").count == 2)
    #expect(try api.folder.files(in: "incoming") == [])
    #expect(!api.log.lines.contains { $0.hasPrefix("error ") || $0.hasPrefix("warning ") }, "\(api.log.lines)")
  }
}
