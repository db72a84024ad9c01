import APITestSupport
import Cryptography
import HTTPMessages
import SelfieTestDocuments
import Testing

@testable import SelfieAPI
@testable import SelfieTestControl

@Suite struct SeedTests {
  @Test func `texts that Swift takes for equal are two, here and in a state`() async throws {
    let api = try APIFixture()
    let spellings = ["jos\u{e9}", "jose\u{301}"]
    _ = try await api.state.seed(
      Seed(
        users: spellings.map { .init(email: "\($0)@b.c", password: "\($0)12345", tokens: [.init($0)]) },
        microblogUsers: spellings.map { .init(name: $0, blogposts: [.init("Hello", uuid: $0)]) }))
    let state = try await api.state.export()
    for spelling in spellings {
      let token = try await api.signIn("\(spelling)@b.c", password: "\(spelling)12345")
      #expect(await api.isAccepted(token))
    }
    try await api.state.reset()
    try await api.state.seed(state)
  }

  @Test func `tokens and photos are those that were asked for`() async throws {
    let api = try APIFixture()
    let randomID = String(repeating: "aB", count: 20) + "c"
    let seeded = try await api.state.seed(
      Seed(users: [
        .init(
          email: "jane@example.com", password: "another1", fullName: " Jane  Maria Doe ",
          tokens: [
            "jane", Seed.Token(), Seed.Token("short", expiresIn: TestDuration(milliseconds: 5000)),
            Seed.Token("old", expiresAt: 1000),
          ],
          photos: [
            .init(Samples.jpeg, title: "first", name: "one.jpg", randomID: randomID, createdAt: 1000), .init(),
            .init([], title: "empty"),
          ]), .init(email: "bob@example.com", firstName: "Bob"),
      ]))
    let user = try #require(seeded.users.first)
    #expect(seeded.users.map(\.firstName) == ["Jane", "Bob"] && seeded.users.map(\.lastName) == ["Doe", nil])
    let expiries = [86_400_000, 86_400_000, 5000].map { api.clock.now + $0 } + [1000]
    #expect(user.tokens.map(\.expiresAt?.milliseconds) == expiries)
    #expect(user.photos.map(\.contentType) == ["image/jpeg", "image/png", "application/octet-stream"])
    #expect(user.photos.map(\.id) == [1, 2, 3])
    #expect(user.photos[0].randomID == randomID)

    for token in user.tokens { #expect(await api.isAccepted(token.token ?? "") == (token.token != "old")) }
    _ = try await api.signIn("jane@example.com", password: "another1")
    let list = await api.get("/api/get_photos", as: .holder(of: "jane")).elements
    #expect(list.map { $0["title"] } == ["first", "", "empty"])
    #expect(list.map { $0["name"] } == ["one.jpg", "photo", "photo"])
    #expect(list[0]["created_at"] == "1970-01-01T00:00:01.000Z")
    for (photo, bytes) in zip(user.photos, [Samples.jpeg, Seed.onePixel, []]) {
      #expect(await api.get("/photos/\(photo.randomID ?? "")").content == bytes)
    }
    #expect(try api.count("SELECT count(*) FROM photos WHERE sha256 IS NULL") == 0)
    api.clock.advance(milliseconds: 5000)
    #expect(await api.get("/api/get_photos", as: .holder(of: "short")).fields["X-Error"] == "expired_token")
    #expect(await api.isAccepted("jane"))
  }

  @Test func `a seed adds to what is there, or does nothing`() async throws {
    let api = try APIFixture()
    let cookie = String(repeating: "aB", count: 16)
    let id = String(repeating: "x", count: Photo.idLength)
    _ = try await api.state.seed(
      Seed(
        users: [.init(email: "jane@example.com", tokens: ["jane"], photos: [.init(randomID: id)])],
        microblogUsers: [.init(name: "ada", sessions: [.init(cookie)], blogposts: [.init("x", uuid: "1")])]))
    let error = await #expect(throws: ControlError.self) {
      try await api.state.seed(
        Seed(
          users: [
            .init(email: "new@example.com", photos: [.init(Samples.jpeg)], notes: [.init()]),
            .init(email: "jane@example.com"), .init(email: "joe@example.com", tokens: ["jane"]),
            .init(email: "jim@example.com", photos: [.init(Samples.jpeg, randomID: id)]),
          ],
          microblogUsers: [
            .init(name: "ada"), .init(name: "bob", sessions: [.init(cookie)]),
            .init(name: "cy", blogposts: [.init("y", uuid: "1")]),
          ]))
    }
    #expect(
      error
        == ControlError(
          .conflict,
          [
            "There is already a user with the email address jane@example.com.",
            "There is already a token jane.",
            "There is already a photo \(id).",
            "There is already a Microblog user with the name ada.",
            "There is already a session \(cookie).", "There is already a post 1.",
          ]))
    #expect(try api.count("SELECT count(*) FROM users") == 1)
    #expect(try api.count("SELECT (SELECT count(*) FROM microblog_users) + (SELECT count(*) FROM notes)") == 1)
    #expect(try api.folder.files(in: "photos") == ["xx/\(id)"])
    #expect(await api.get("/photos/\(id)").content == Seed.onePixel)

    _ = try await api.state.seed(Seed(users: [.init(email: "joe@example.com", tokens: ["joe"])]))
    #expect(await api.isAccepted("joe"))
    #expect(await api.isAccepted("jane"))
  }

  @Test func `a photo may have the id of one that was here before, and other bytes`() async throws {
    let api = try APIFixture()
    let id = String(repeating: "x", count: Photo.idLength)
    let first = Seed(users: [.init(email: "jane@example.com", tokens: ["jane"], photos: [.init(randomID: id)])])
    _ = try await api.state.seed(first)
    // As if its file could not be removed.
    try await api.database.write { try $0.run("DELETE FROM photos") }
    let second = Seed(users: [.init(email: "joe@example.com", photos: [.init(Samples.jpeg, randomID: id)])])
    _ = try await api.state.seed(second)
    #expect(await api.get("/photos/\(id)").content == Samples.jpeg)
    try await api.application.upkeep.prune()
    #expect(await api.get("/photos/\(id)").content == Samples.jpeg)
  }

  @Test(arguments: [
    "a", "with space", " space at the end ", "a=b", "ümläut", "\"", "semi;colon, and \"quotes\" inside",
    String(repeating: "x", count: 256),
  ])
  func `a token that a client can send works`(_ letters: String) async throws {
    let api = try APIFixture()
    _ = try await api.state.seed(Seed(users: [.init(email: "a@b.c", tokens: [Seed.Token(letters)])]))
    // Space at an end is the field's unless it is in quotation marks.
    #expect(await api.isAccepted(letters.hasPrefix(" ") || letters == "\"" ? "\"\(letters)\"" : letters))
  }

  private static let cookie = "adasSession0123456789adasSession"

  private func notes(of email: String, _ password: String, _ api: APIFixture) async -> Response {
    let credentials = Base64.encode(Array("\(email):\(password)".utf8))
    return await api.get("/notes.json?token=token", fields: [("Authorization", "Basic \(credentials)")])
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
    #expect(seeded.users[1].notes[0].createdAt?.milliseconds == api.clock.now)
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
    #expect(ada.sessions.first?.cookie == Self.cookie)
    #expect(seeded.microblogUsers.map(\.password) == ["x", Seed.defaultPassword])
    for (session, status) in zip(ada.sessions, [Status.ok, .ok, .forbidden]) {
      #expect(await api.get("/users", fields: [("Cookie", "auth_tkt=\(session.cookie ?? "")")]).status == status)
    }
    let posts = await api.get("/blogposts")
    let texts = posts.text.matches(of: /"text":"([^"]*)","creator":"([^"]*)"/).map { "\($0.2): \($0.1)" }
    #expect(texts == ["bob: now too", "ada: now", "bob: second", "ada: first"])
    #expect(await api.get("/blogposts?before=the-first").text == #"{"data":{"blogposts":[]}}"#)
    #expect(ada.blogposts.map(\.text) == ["first", "now"])
    let login = await api.send("POST", "/users/login", as: .nobody, ["name": "ada", "password": "x"])
    #expect(login.status == .ok)
  }
}
