import APITestSupport
import Cryptography
import HTTPMessages
import Testing

@testable import SelfieAPI
@testable import SelfieTestControl

/// Seeds for the Notes and the Microblog app.
@Suite(.timeLimit(.minutes(10))) struct FamiliesSeedTests {
  private static let cookie = "adasSession0123456789adasSession"

  private func notes(of email: String, _ password: String, _ api: APIFixture) async -> Response {
    let credentials = Base64.encode(Array("\(email):\(password)".utf8))
    return await api.get("/notes.json?token=token", fields: [("Authorization", "Basic \(credentials)")])
  }

  private func users(_ cookie: String, _ api: APIFixture) async -> Response {
    await api.get("/users", fields: [("Cookie", "auth_tkt=\(cookie)")])
  }

  @Test func `the notes are those that were asked for, in their order`() async throws {
    let api = try APIFixture()
    let seeded = try await api.state.seed(
      Seed(users: [
        .init(
          email: "jane@example.com",
          notes: [
            .init(title: "Milk", body: "two", createdAt: 1000), .init(title: "Bread", createdAt: 0, updatedAt: 5),
          ]),
        .init(email: "joe@example.com", notes: [.init()]),
      ]))
    #expect(seeded.users[0].notes.map(\.id) == [1, 2])
    #expect(seeded.users[0].notes[1].updatedAt == 5)
    #expect(seeded.users[1].notes[0].createdAt == api.clock.now)
    let list = await notes(of: "jane@example.com", Seed.defaultPassword, api)
    #expect(list.elements.map { $0["title"] } == ["Milk", "Bread"])
    #expect(list.elements[0]["created_at"] == "1970-01-01T00:00:01.000Z")
    #expect(await notes(of: "joe@example.com", Seed.defaultPassword, api).elements.map { $0["title"] } == [""])
    #expect(try api.count("SELECT sum(byte_count) FROM notes") == 12)
  }

  @Test func `a user of Microblog is logged in, and the posts of all come by their times`() async throws {
    let api = try APIFixture()
    let seeded = try await api.state.seed(
      Seed(microblogUsers: [
        .init(
          name: "ada", password: "x", sessions: [.init(Self.cookie), .init(), .init(usedAt: 0)],
          blogposts: ["now", .init("first", uuid: "the-first", createdAt: 1000)]),
        .init(name: "bob", blogposts: [.init("second", createdAt: 2000), "now too"]),
      ]))
    let ada = try #require(seeded.microblogUsers.first)
    #expect(ada.sessions.first == Self.cookie)
    #expect(seeded.microblogUsers.map(\.password) == ["x", Seed.defaultPassword])
    for (cookie, status) in zip(ada.sessions, [Status.ok, .ok, .forbidden]) {
      #expect(await users(cookie, api).status == status)
    }
    let posts = await api.get("/blogposts")
    let texts = posts.text.matches(of: /"text":"([^"]*)","creator":"([^"]*)"/).map { "\($0.2): \($0.1)" }
    #expect(texts == ["bob: now too", "ada: now", "bob: second", "ada: first"])
    #expect(await api.get("/blogposts?before=the-first").text == #"{"data":{"blogposts":[]}}"#)
    #expect(ada.blogposts.map(\.text) == ["first", "now"])
    let login = await api.send("POST", "/users/login", as: .nobody, ["name": "ada", "password": "x"])
    #expect(login.status == .ok)
  }

  private static func seed(notes: [Seed.Note]) -> Seed { Seed(users: [.init(email: "a@b.c", notes: notes)]) }

  private static func seed(_ users: Seed.MicroblogUser...) -> Seed { Seed(microblogUsers: users) }

  static let wrong: [(Seed, String)] = [
    (seed(notes: [.init(title: String(repeating: "x", count: 256))]), "users[0].notes[0]: Title is too long"),
    (seed(notes: [.init(body: "\0")]), "users[0].notes[0]: Body must not contain"),
    (seed(notes: [.init(createdAt: -1)]), "users[0].notes[0].created_at is not from"),
    (seed(notes: .init(repeating: .init(), count: 10_001)), "users[0].notes: a user has at most 10000 notes"),
    (
      seed(notes: .init(repeating: .init(body: String(repeating: "x", count: Note.maxBodyBytes)), count: 33)),
      "users[0].notes: the notes of a user have at most 4194304 bytes"
    ),
    (seed(.init(name: " ")), "microblog.users[0].name: A name must not be blank."),
    (seed(.init(name: "a\0")), "microblog.users[0].name: A name must not contain"),
    (seed(.init(name: "a"), .init(name: "a")), "microblog.users[1].name: another record has a, too."),
    (seed(.init(name: "a", password: "")), "microblog.users[0].password: A password has 1 to 72"),
    (seed(.init(name: "a", sessions: ["short"])), "microblog.users[0].sessions[0].cookie is not of 32 letters"),
    (
      seed(.init(name: "a", sessions: [.init(String(repeating: ";", count: 32))])),
      "microblog.users[0].sessions[0].cookie is not of 32 letters"
    ),
    (
      seed(.init(name: "a", sessions: .init(repeating: .init(cookie), count: 2))),
      "microblog.users[0].sessions[1].cookie: another record has"
    ),
    (
      seed(.init(name: "a", sessions: .init(repeating: .init(), count: 257))),
      "microblog.users[0].sessions: a user has at most 256 sessions"
    ),
    (seed(.init(name: "a", blogposts: [" "])), "microblog.users[0].blogposts[0].text: text must not be"),
    (
      seed(.init(name: "a", blogposts: [.init("x", uuid: "1"), .init("y", uuid: "1")])),
      "microblog.users[0].blogposts[1].uuid: another record has 1, too."
    ),
    (
      Seed(
        microblogUsers: .init(repeating: .init(name: "a", blogposts: .init(repeating: "x", count: 10_000)), count: 11)),
      "A seed has at most 100000 notes and posts, not 110000."
    ),
    (
      Seed(users: [.init(email: "a@b.c", photos: .init(repeating: .init(), count: 50_001))]),
      "A seed has at most 50000 photos, not 50001."
    ),
  ]

  private static let refused = wrong + (SeedTests.wrong + SeedTests.unsendable).map { (Seed(users: [$0]), $1) }

  // By index, since a failure, or a verbose run, prints its arguments, and one of these seeds has 110,000 posts.
  @Test(arguments: refused.indices)
  func `an invalid seed is refused`(index: Int) async throws {
    let (seed, message) = Self.refused[index]
    let api = try APIFixture { $0.maxPhotoBytes = 4 }
    let error = await #expect(throws: ControlError.self) { try await api.state.seed(seed) }
    #expect(error?.kind == .invalid)
    #expect(error?.problems.count == 1 || index < Self.wrong.count)
    #expect(error?.description.hasPrefix(message) == true, "\(error.map(\.description) ?? "")")
    #expect(try api.count("SELECT (SELECT count(*) FROM users) + (SELECT count(*) FROM microblog_users)") == 0)
  }

  @Test func `a seed goes through the control interface`() async throws {
    let fixture = try Fixture()
    let response = await fixture.send(
      "POST", "/__admin/seed",
      """
      {"users":[{"email":"a@b.c","notes":[{"title":"Milk","body":"two","created_at":"2026-01-01"}]}],
       "microblog":{"users":[{"name":"ada","sessions":["\(Self.cookie)",{}],
         "blogposts":["Hello",{"text":"before","created_at":"2026-01-01"}]}]}}
      """)
    #expect(response.status == 200, "\(response.text)")
    let users = try #require(response["users"] as? [[String: Any]])
    let notes = try #require(users[0]["notes"] as? [[String: Any]])
    #expect(notes[0]["title"] as? String == "Milk")
    #expect(notes[0]["created_at"] as? String == "2026-01-01T00:00:00.000Z")
    let microblog = try #require(response["microblog"] as? [String: Any])
    let ada = try #require((microblog["users"] as? [[String: Any]])?.first)
    #expect(ada["password"] as? String == Seed.defaultPassword)
    let cookies = try #require(ada["sessions"] as? [[String: String]]).compactMap { $0["cookie"] }
    #expect(cookies.first == Self.cookie)
    #expect((ada["blogposts"] as? [[String: Any]])?.map { $0["text"] as? String } == ["before", "Hello"])
    let again = await fixture.send("POST", "/__admin/seed", #"{"microblog":{"users":[{"name":"ada"}]}}"#)
    #expect(again.status == 409)
  }
}
