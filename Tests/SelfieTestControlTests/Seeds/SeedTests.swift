import APITestSupport
import Cryptography
import HTTPMessages
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
    for spelling in spellings {
      let token = try await api.signIn("\(spelling)@b.c", password: "\(spelling)12345")
      #expect(await api.isAccepted(token))
    }
    try await api.state.exportState().check()
  }

  @Test func `tokens and photos are those that were asked for`() async throws {
    let api = try APIFixture()
    let randomID = String(repeating: "aB", count: 20) + "c"
    let seeded = try await api.state.seed(
      Seed(users: [
        .init(
          email: "jane@example.com", password: "another1", fullName: " Jane  Maria Doe ",
          tokens: ["jane", Seed.Token(), Seed.Token("short", expiry: .after(milliseconds: 5000))],
          photos: [
            .init(Samples.jpeg, title: "first", name: "one.jpg", randomID: randomID, createdAt: 1000), .init(),
            .init([], title: "empty"),
          ])
      ]))
    let user = try #require(seeded.users.first)
    #expect([user.firstName, user.lastName] == ["Jane", "Doe"])
    #expect(user.tokens.map(\.expiresAt) == [86_400_000, 86_400_000, 5000].map { api.clock.now + $0 })
    #expect(user.photos.map(\.contentType) == ["image/jpeg", "image/png", "application/octet-stream"])
    #expect(user.photos.map(\.id) == [1, 2, 3])
    #expect(user.photos[0].randomID == randomID)

    for token in user.tokens { #expect(await api.isAccepted(token.letters)) }
    _ = try await api.signIn("jane@example.com", password: "another1")
    let list = await api.get("/api/get_photos", as: .holder(of: "jane")).elements
    #expect(list.map { $0["title"] } == ["first", "", "empty"])
    #expect(list.map { $0["name"] } == ["one.jpg", "photo", "photo"])
    #expect(list[0]["created_at"] == "1970-01-01T00:00:01.000Z")
    for (photo, bytes) in zip(user.photos, [Samples.jpeg, Seed.onePixel, []]) {
      #expect(await api.get("/photos/\(photo.randomID)").content == bytes)
    }
    #expect(try api.count("SELECT count(*) FROM photos WHERE sha256 IS NULL") == 0)
    // Nothing is kept twice.
    #expect(try api.folder.files(in: "state") == [])
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
            "The token jane of joe@example.com already exists.",
            "The photo \(id) of jim@example.com already exists.",
            "There is already a Microblog user with the name ada.",
            "The session \(cookie) of bob already exists.", "The post 1 of cy already exists.",
          ]))
    #expect(try api.count("SELECT count(*) FROM users") == 1)
    #expect(try api.count("SELECT (SELECT count(*) FROM microblog_users) + (SELECT count(*) FROM notes)") == 1)
    #expect(try api.folder.files(in: "photos") == ["xx/\(id)"])
    #expect(await api.get("/photos/\(id)").content == Seed.onePixel)
    #expect(try api.folder.files(in: "state") == [])

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
    try await api.application.prune()
    #expect(await api.get("/photos/\(id)").content == Samples.jpeg)
  }

  static let wrong: [(Seed.User, String)] = [
    (.init(email: ""), "users[0].email is invalid: signup would not take \"\" either."),
    (.init(email: "a@b@c.d"), "users[0].email is invalid: signup would not take \"a@b@c.d\" either."),
    (.init(email: "a\0@b.c"), "users[0].email contains a NUL character."),
    (.init(email: "a@b.c", password: "short"), "users[0].password has 5 bytes; a password has 6 to 72."),
    (
      .init(email: "a@b.c", password: String(repeating: "é", count: 37)),
      "users[0].password has 74 bytes; a password has 6 to 72."
    ),
    (
      .init(email: "a@b.c", firstName: String(repeating: "x", count: 256)),
      "users[0].first_name has more than 255 characters."
    ),
    (.init(email: "a@b.c", createdAt: -1), "users[0].created_at is not from 1970 to 9999."),
    (.init(email: "a@b.c", tokens: [Seed.Token("t", expiry: .at(.max))]), "users[0].tokens[0] does not"),
    (
      .init(email: "a@b.c", tokens: [Seed.Token("t", expiry: .after(milliseconds: .max))]),
      "users[0].tokens[0] does not expire from 1970 to 9999."
    ),
    (.init(email: "a@b.c", tokens: ["t", "t"]), "users[0].tokens[1].token: another record has t, too."),
    (
      .init(email: "a@b.c", tokens: (0...256).map { Seed.Token("t\($0)") }),
      "users[0].tokens: a user has at most 256 tokens, not 257."
    ),
    (.init(email: "a@b.c", photos: [.init([], randomID: "abc")]), "users[0].photos[0].random_id must have 41 letters"),
    (.init(email: "a@b.c", photos: [.init([], title: "\0")]), "users[0].photos[0].title contains a NUL character."),
    (.init(email: "a@b.c", photos: [.init([1, 2, 3, 4, 5])]), "users[0].photos[0] has 5 bytes, more than the 4 of"),
  ]

  static let unsendable = ["", "line\nbreak", "a\";b", String(repeating: "x", count: 257)].map { letters in
    (
      Seed.User(email: "a@b.c", tokens: [Seed.Token(letters)]),
      "users[0].tokens[0].token is no token that a client could send"
    )
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
}
