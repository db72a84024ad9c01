import APITestSupport
import HTTPMessages
import Testing

@testable import SelfieAPI
@testable import SelfieTestControl

@Suite(.timeLimit(.minutes(10))) struct SnapshotsTests {
  @Test func `a snapshot can be restored again and again`() async throws {
    let api = try APIFixture()
    let snapshots = Snapshots(of: api.state)
    let token = try await api.newUser()
    let id = try await api.newPhoto(token: token)
    let list = await api.get("/api/get_photos", as: .holder(of: token)).text
    let saved = try await snapshots.save("one-photo")
    #expect(saved.counts == StateCounts(users: 1, tokens: 1, photos: 1))
    #expect(saved.savedAt == api.clock.now)

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
    let api = try APIFixture()
    let snapshots = Snapshots(of: api.state)
    _ = try await api.state.seed(Seed(users: [.init(email: "a@b.c", photos: [.init()])]))
    try await snapshots.save("b")
    try await snapshots.save("a")
    #expect(snapshots.list.map(\.name) == ["a", "b"])
    #expect(try api.folder.names(in: "state").count == 1)
    try await api.state.reset()
    try await snapshots.save("b")
    #expect(try api.folder.names(in: "state").count == 1)
    try await snapshots.delete("a")
    #expect(try api.folder.names(in: "state") == [])
    try await snapshots.restore("b")
    #expect(try api.count("SELECT count(*) FROM users") == 0)
  }

  @Test func `the number of snapshots is limited`() async throws {
    let api = try APIFixture()
    let snapshots = Snapshots(of: api.state)
    _ = try await api.state.seed(Seed(users: [.init(email: "a@b.c", photos: [.init()])]))
    for number in 0..<Snapshots.maxCount { try await snapshots.save("\(number)") }
    let error = await #expect(throws: ControlError.self) { try await snapshots.save("more") }
    #expect(error?.kind == .full)
    try await snapshots.save("7")
    for number in 0..<Snapshots.maxCount { try await snapshots.delete("\(number)") }
    #expect(try api.folder.names(in: "state") == [])
  }
}
