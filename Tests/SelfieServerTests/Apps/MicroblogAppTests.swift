import APITestSupport
import Foundation
import Testing

/// The Microblog app against the server, from an empty database.
@Suite(.timeLimit(.minutes(10))) struct MicroblogAppTests {
  /// A server, and two apps whose users have registered and logged in.
  private func withUsers(
    _ test: (LocalServer, _ ada: MicroblogApp, _ bob: MicroblogApp) async throws -> Void
  ) async throws {
    try await LocalServer.run { server in
      let apps = [MicroblogApp(server.address), MicroblogApp(server.address)]
      for (app, name) in zip(apps, ["ada", "bob"]) {
        try await app.register(name, "secret of \(name)")
        try await app.login(name, "secret of \(name)")
      }
      try await test(server, apps[0], apps[1])
    }
  }

  @Test func `presents its login, and sends the post again`() async throws {
    try await LocalServer.run { server in
      let app = MicroblogApp(server.address)
      #expect(try await app.loadPosts().isEmpty)
      try await app.register("ada", "p")
      await #expect(throws: MicroblogApp.Failure.loginIsPresented) { try await app.sendPost("Hello") }
      try await app.login("ada", "p")
      let id = try await app.sendPost("Hello \"world\" \u{1F600}\nline 2")
      let posts = try await app.loadPosts()
      #expect(posts.map(\.id) == [id])
      #expect(UUID(uuidString: id) != nil)
      #expect(posts.first?.text == "Hello \"world\" \u{1F600}\nline 2")
      #expect(posts.first?.creator == "ada")
      let created = try #require(posts.first?.created)
      let date = try Date(created, strategy: .iso8601.year().month().day().time(includingFractionalSeconds: true))
      #expect(date.timeIntervalSince1970 == Double(server.clock.now) / 1000)
      #expect(try await app.users() == ["ada"])

      // The session ends with the app, which keeps its cookies in memory.
      let restarted = MicroblogApp(server.address)
      #expect(try await restarted.loadPosts() == posts)
      await #expect(throws: MicroblogApp.Failure.loginIsPresented) { try await restarted.sendPost("again") }
    }
  }

  @Test func `what the app shows when a login fails`() async throws {
    try await withUsers { server, ada, _ in
      let app = MicroblogApp(server.address)
      let invalid = MicroblogApp.Failure.shows("You have entered an invalid username or password")
      let later = MicroblogApp.Failure.shows("An error occured, please try again later")
      await #expect(throws: invalid) { try await app.login("nobody", "p") }
      await #expect(throws: invalid) { try await app.login("Ada", "secret of ada") }
      await #expect(throws: invalid) { try await app.login("", "") }
      for _ in 0..<10 { await #expect(throws: invalid) { try await app.login("ada", "guess") } }
      await #expect(throws: later) { try await app.login("ada", "secret of ada") }
      // Who is logged in already is not concerned.
      try await ada.sendPost("Still here")
      server.clock.advance(seconds: 180)
      try await app.login("ada", "secret of ada")
    }
  }

  @Test func `what is told when a registration fails`() async throws {
    try await withUsers { server, ada, _ in
      for (name, password, status, message) in [
        ("ada", "x", 409, "This name is taken."), (" ", "x", 400, "A name must not be blank."),
        ("x", "", 400, "A password has 1 to 72 bytes."),
        ("x", String(repeating: "é", count: 37), 400, "A password has 1 to 72 bytes."),
        (String(repeating: "x", count: 256), "x", 400, "A name has at most 255 characters."),
        ("x\0", "x", 400, "name must not contain a NUL character."),
      ] {
        await #expect(throws: MicroblogApp.Failure.status(status, message: message)) {
          try await ada.register(name, password)
        }
      }
      let users = try await ada.users()
      #expect(users == ["ada", "bob"])
    }
  }

  @Test func `what the app shows when a post fails`() async throws {
    try await withUsers { server, ada, _ in
      let later = MicroblogApp.Failure.shows("An error occured, please try again later.")
      for text in ["", " \n", String(repeating: "x", count: 10_001), "a\0b"] {
        await #expect(throws: later) { try await ada.sendPost(text) }
      }
      let posts = try await ada.loadPosts()
      #expect(posts.isEmpty)
    }
  }

  @Test func `a session ends by logout and without use, and only that one`() async throws {
    try await withUsers { server, ada, bob in
      try await ada.logout()
      await #expect(throws: MicroblogApp.Failure.loginIsPresented) { try await ada.sendPost("x") }
      try await bob.sendPost("x")
      server.clock.advance(seconds: 30 * 86_400)
      await #expect(throws: MicroblogApp.Failure.loginIsPresented) { try await bob.sendPost("y") }
      try await bob.login("bob", "secret of bob")
      try await bob.sendPost("y")
    }
  }

  @Test func `nobody posts for somebody else`() async throws {
    try await withUsers { _, ada, bob in
      let id = try await ada.sendPost("Hello")
      let other = try await bob.sendPost("Mine now", id: id, creator: "ada")
      #expect(other != id)
      let posts = try await ada.loadPosts()
      #expect(posts.map(\.creator) == ["bob", "ada"])
      #expect(posts.map(\.text) == ["Mine now", "Hello"])
      #expect(try await ada.loadPosts("?limit=1&before=\(other)").map(\.id) == [id])
      for (method, path) in [("DELETE", "/blogposts/\(id)"), ("PUT", "/blogposts"), ("DELETE", "/users")] {
        #expect(try await bob.send(method, path, [:]).1 == 404)
      }
      #expect(try await ada.loadPosts() == posts)
    }
  }

  @Test(arguments: [
    "auth_tkt=", "auth_tkt=1", "auth_tkt=' OR 1=1 --", "auth_tkt=\u{27}||(SELECT hex(digest) FROM microblog_sessions)",
    "auth_tkt=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "auth_tkt=%00aaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "user_id=1; name=ada",
    "AUTH_TKT=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "auth_tkt=a; auth_tkt=b; auth_tkt=c", ";;==,,auth_tkt",
  ])
  func `a cookie that nobody was given opens nothing`(cookie: String) async throws {
    try await withUsers { server, _, _ in
      let stranger = MicroblogApp(server.address)
      for fields in [
        ["Cookie": cookie], ["Cookie": cookie, "X-Forwarded-User": "ada", "Authorization": "Basic YWRhOg=="],
      ] {
        let statuses = [
          try await stranger.send("GET", "/users", fields: fields).1,
          try await stranger.send("POST", "/blogposts", ["text": "x"], fields: fields).1,
        ]
        #expect(statuses == [403, 403])
      }
    }
  }

  @Test(arguments: [
    "'); DROP TABLE blogposts; --", "\"},{\"name\":\"root", "a\r\nSet-Cookie: auth_tkt=x\r\n\r\n", "<b>&amp;\u{2028}",
    "admin\u{200B}", "' OR '1'='1",
  ])
  func `a name and a text are nothing but text`(text: String) async throws {
    try await withUsers { server, ada, _ in
      let app = MicroblogApp(server.address)
      try await app.register(text, text)
      try await app.login(text, text)
      try await app.sendPost(text)
      let post = try #require(try await ada.loadPosts().first)
      #expect(post.text == text)
      #expect(post.creator == text)
      #expect(Set(try await ada.users()) == ["ada", "bob", text])
      let invalid = MicroblogApp.Failure.shows("You have entered an invalid username or password")
      await #expect(throws: invalid) { try await MicroblogApp(server.address).login(text, "' OR '1'='1' --") }
    }
  }
}
