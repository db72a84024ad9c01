import APITestSupport
import HTTPMessages
import SelfieTestDocuments
import Testing

@testable import SQLite
@testable import SelfieAPI
@testable import SelfieTestControl

@Suite(.timeLimit(.minutes(10))) struct SnapshotsTests {
  private let api: APIFixture
  private let snapshots: Snapshots

  init() throws {
    api = try APIFixture()
    snapshots = Snapshots(of: api.state)
  }

  @Test func `a snapshot can be restored again and again`() async throws {
    let token = try await api.newUser()
    let id = try await api.newPhoto(token: token)
    let list = await api.get("/api/get_photos", as: .holder(of: token)).text
    let saved = try await snapshots.save("one-photo")
    #expect(saved.second == StateCounts(users: 1, tokens: 1, photos: 1))
    #expect(saved.savedAt.milliseconds == api.clock.now)

    for round in 0..<3 {
      api.clock.advance(seconds: 1)
      let more = try await api.newPhoto(Samples.jpeg, token: token)
      if round == 1 { try await api.state.reset() }
      _ = await api.send("DELETE", "/api/delete_photo", as: .holder(of: token), ["photo_id": id])
      #expect(try await snapshots.restore("one-photo") == saved)
      #expect(await api.get("/api/get_photos", as: .holder(of: token)).text == list)
      #expect(await api.get("/photos/\(id)").content == Samples.png)
      #expect(await api.get("/photos/\(more)").status == .notFound)
    }
    #expect(try api.folder.files(in: "photos") == ["\(id.prefix(2))/\(id)"])
    #expect(snapshots.list == [saved])
  }

  @Test func `one that is saved again is replaced, and one that is deleted is gone with its photos`() async throws {
    _ = try await api.state.seed(Seed(users: [.init(email: "a@b.c", photos: [.init()])]))
    try await snapshots.save("b")
    try await snapshots.save("a")
    #expect(snapshots.list.map(\.name) == ["a", "b"])
    #expect(try api.folder.names(in: "state").count == 2)
    try await api.state.reset()
    try await snapshots.save("b")
    #expect(try api.folder.names(in: "state").count == 2)
    try await snapshots.delete("a")
    #expect(try api.folder.names(in: "state").count == 1)
    try await snapshots.restore("b")
    #expect(try api.count("SELECT count(*) FROM users") == 0)
  }

  @Test func `the number of snapshots is limited`() async throws {
    _ = try await api.state.seed(Seed(users: [.init(email: "a@b.c", photos: [.init()])]))
    for number in 0..<Snapshots.maxCount { try await snapshots.save("\(number)") }
    let error = await #expect(throws: ControlError.self) { try await snapshots.save("more") }
    #expect(error?.status == .tooManyRequests)
    try await snapshots.save("7")
    for number in 0..<Snapshots.maxCount { try await snapshots.delete("\(number)") }
    #expect(try api.folder.names(in: "state") == [])
  }

  @Test func `ids go on where they did`() async throws {
    try await api.state.seed(Seed(users: [.init(email: "a@b.c", tokens: ["t"], photos: [.init(), .init()])]))
    try await api.database.write { try $0.execute("DELETE FROM photos WHERE id = 2") }
    try await snapshots.save("one")
    try await api.state.reset()
    try await snapshots.restore("one")
    _ = try await api.newPhoto(token: "t")
    #expect(try api.count("SELECT max(id) FROM photos") == 3)
  }

  @Test func `a photo has its bytes again, whatever had its id meanwhile`() async throws {
    let id = String(repeating: "s", count: Photo.idLength)
    try await api.state.seed(Seed(users: [.init(email: "a@b.c", photos: [.init(Samples.png, randomID: id)])]))
    try await snapshots.save("one")
    try await api.state.reset()
    try await api.state.seed(Seed(users: [.init(email: "b@b.c", photos: [.init(Samples.jpeg, randomID: id)])]))
    try await snapshots.restore("one")
    #expect(await api.get("/photos/\(id)").content == Samples.png)
  }

  @Test func `a restore that fails changes nothing`() async throws {
    try await api.state.seed(Seed(users: [.init(email: "a@b.c", photos: [.init()])]))
    try await snapshots.save("one")
    try await api.state.reset()
    try await api.state.seed(Seed(users: [.init(email: "b@b.c", photos: [.init(Samples.jpeg)])]))
    let before = try await api.state.export()
    try await api.database.write { connection in
      try connection.execute("CREATE TRIGGER fail BEFORE INSERT ON photos BEGIN SELECT RAISE(ABORT, 'no'); END")
    }
    await #expect(throws: SQLiteError.self) { try await snapshots.restore("one") }
    #expect(try await api.state.export() == before)
    #expect(try api.folder.files(in: "photos").count == 1)
  }

  @Test func `one is not saved if a photo's file is damaged`() async throws {
    let seeded = try await api.state.seed(Seed(users: [.init(email: "a@b.c", photos: [.init()])]))
    try await snapshots.save("one")
    let id = try #require(seeded.users[0].photos[0].randomID)
    try api.folder.write([1], to: "photos/\(id.prefix(2))/\(id)")
    let error = await #expect(throws: ControlError.self) { try await snapshots.save("two") }
    #expect(error?.description.contains(id) == true)
    #expect(try api.folder.names(in: "state").count == 1)
  }

  @Test func `a server removes those of an earlier one`() async throws {
    try await snapshots.save("one")
    #expect(try api.folder.names(in: "state").count == 1)
    let next = try APIFixture(after: api)
    #expect(try !next.folder.names(in: ".").contains("state"))
  }

  private static let placed = String(repeating: "k", count: Photo.idLength)

  @Test(arguments: [(13, false), (1034, true)])
  func `the files of rows that could not be inserted are removed, unless the rows may be there at the next start`(
    code: Int32, staysInPlace: Bool
  ) async throws {
    await #expect(throws: SQLiteError.self) {
      try await api.application.photos.withFiles(of: [Self.placed]) {
        try $0.make([PhotoContent(id: Self.placed, bytes: Samples.bytes(100))])
      } write: {
        throw SQLiteError(code: code, message: "")
      }
    }
    #expect(try api.folder.files(in: "photos") == (staysInPlace ? ["kk/\(Self.placed)"] : []))
  }
}
