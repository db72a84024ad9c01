import APITestSupport
import Foundation
import Testing

/// The Notes app against the server, from an empty database.
@Suite(.timeLimit(.minutes(10))) struct NotesAppTests {
  private static let password = "secret12"

  /// A server on which jane and john have signed up by the Selfie app.
  private func withUsers(_ test: (LocalServer, _ jane: NotesApp, _ john: NotesApp) async throws -> Void) async throws {
    try await LocalServer.run { server in
      for name in ["jane", "john"] {
        try await server.app.makeSignUpRequest(name: name, email: "\(name)@example.com", password: Self.password)
      }
      func notes(_ name: String) -> NotesApp {
        NotesApp(server.address, email: "\(name)@example.com", password: Self.password)
      }
      try await test(server, notes("jane"), notes("john"))
    }
  }

  private func expectAlert(
    _ status: Int, _ errors: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ action: () async throws -> Void
  ) async {
    await #expect(throws: NotesApp.Alert(status: status, errors: errors), sourceLocation: sourceLocation) {
      try await action()
    }
  }

  @Test func `keeps notes`() async throws {
    try await withUsers { server, jane, _ in
      #expect(try await jane.getIndex().isEmpty)
      let milk = try await jane.createNote(title: "牛乳 & \"bread\"", body: "a=b;c+d%20[e]\nline 2")
      #expect(milk.title == "牛乳 & \"bread\"")
      #expect(milk.body == "a=b;c+d%20[e]\nline 2")
      #expect(milk.created_at == milk.updated_at)
      let bread = try await jane.createNote(title: "", body: "")
      #expect(try await jane.getIndex() == [milk, bread])

      server.clock.advance(seconds: 60)
      try await jane.putNote(bread.id, title: "Bread", body: "one loaf")
      let changed = try #require(try await jane.getIndex().last)
      #expect(changed.title == "Bread")
      #expect(changed.updated_at > changed.created_at)
      try await jane.destroyNote(milk.id)
      #expect(try await jane.getIndex() == [changed])
    }
  }

  @Test func `what the app shows when credentials are missing or wrong`() async throws {
    let wrong = "Wrong email address or password."
    try await withUsers { server, jane, _ in
      await expectAlert(401, wrong) {
        _ = try await NotesApp(server.address, email: "jane@example.com", password: "secret13").getIndex()
      }
      // As before the account page was filled in.
      await expectAlert(401, wrong) { _ = try await NotesApp(server.address, email: "", password: "").getIndex() }
      await expectAlert(401, "Sign in with your email address and password.") {
        try await jane.send("GET", "notes.json", [])
      }
      await expectAlert(401, "Sign in with your email address and password.") {
        try await jane.send("POST", "notes.json", [("note[title]", "x")])
      }
      #expect(try await jane.getIndex().isEmpty)
      for _ in 0..<10 {
        await #expect(throws: NotesApp.Alert(status: 401, errors: wrong)) {
          _ = try await NotesApp(server.address, email: "john@example.com", password: "guess").getIndex()
        }
      }
      await expectAlert(429, "Too many failed attempts. Try again in 180 seconds.") {
        _ = try await NotesApp(server.address, email: "john@example.com", password: Self.password).getIndex()
      }
      server.clock.advance(seconds: 180)
      _ = try await NotesApp(server.address, email: "john@example.com", password: Self.password).getIndex()
    }
  }

  @Test func `a new password of the Selfie app is the only one from then on`() async throws {
    try await withUsers { server, jane, _ in
      _ = try await jane.getIndex()
      let app = server.app
      try await app.makeSignInRequest(email: "jane@example.com", password: Self.password)
      try await app.resetPassword(from: Self.password, to: "secret34")
      await expectAlert(401, "Wrong email address or password.") { _ = try await jane.getIndex() }
      var changed = jane
      changed.password = "secret34"
      #expect(try await changed.getIndex().isEmpty)
    }
  }

  @Test func `what the app shows when a note is missing or malformed`() async throws {
    try await withUsers { _, jane, _ in
      await expectAlert(404, "There is no such note.") { try await jane.putNote(1, title: "", body: "") }
      await expectAlert(404, "There is no such note.") { try await jane.destroyNote(-1) }
      await expectAlert(422, "note is missing. Send note[title] and note[body].") {
        try await jane.send("POST", "notes.json", [("token", "token")])
      }
      await expectAlert(422, "Title is too long (maximum is 255 characters).") {
        _ = try await jane.createNote(title: String(repeating: "x", count: 256), body: "")
      }
      await expectAlert(422, "Body must not contain a NUL character.") {
        _ = try await jane.createNote(title: "", body: "a\0b")
      }
      await expectAlert(413, "The request body is larger than 1048576 bytes.") {
        _ = try await jane.createNote(title: "", body: String(repeating: "x", count: 1 << 20))
      }
      await expectAlert(404, "Wrong URL or HTTP method") {
        try await jane.send("GET", "notes/1/edit", [("token", "token")])
      }
      let notes = try await jane.getIndex()
      #expect(notes.isEmpty)
    }
  }

  @Test func `nobody gets at the notes of another user`() async throws {
    try await withUsers { server, jane, john in
      let note = try await jane.createNote(title: "Diary", body: "secret")
      await expectAlert(404, "There is no such note.") {
        try await john.send("GET", "notes/\(note.id).json", [("token", "token")])
      }
      await expectAlert(404, "There is no such note.") { try await john.putNote(note.id, title: "Mine", body: "") }
      await expectAlert(404, "There is no such note.") { try await john.destroyNote(note.id) }
      // Members that are not the client's to set.
      let taken = try await john.send(
        "POST", "notes.json",
        [
          ("token", "token"), ("note[id]", "\(note.id)"), ("note[user_id]", "1"), ("note[title]", "x"),
          ("user_id", "1"), ("id", "\(note.id)"),
        ])
      #expect(String(decoding: taken, as: UTF8.self).contains("\"id\":\(note.id + 1),"))
      #expect(try await john.getIndex().count == 1)
      #expect(try await jane.getIndex() == [note])
    }
  }

  @Test(arguments: [
    "' OR '1'='1", "jane@example.com' --", "jane@example.com\0", "JANE@example.com", "jane@example.com\r\nX-User: 1",
    "*", "%", "jane@example%.com",
  ])
  func `an address that is not quite the user's opens nothing`(email: String) async throws {
    try await withUsers { server, _, _ in
      for password in [Self.password, "' OR '1'='1"] {
        await expectAlert(401, "Wrong email address or password.") {
          _ = try await NotesApp(server.address, email: email, password: password).getIndex()
        }
      }
    }
  }

  @Test(arguments: [
    "'); DROP TABLE notes; --", "\",\"user_id\":1,\"x\":\"", "</script><script>alert(1)</script>",
    "a\r\nSet-Cookie: auth_tkt=x", "${jndi:ldap://x}", "\u{2028}\u{202E}", "&note[title]=other&token=x", "\u{1}\\u0000",
  ])
  func `a text is nothing but text`(text: String) async throws {
    try await withUsers { _, jane, john in
      let note = try await jane.createNote(title: text, body: text)
      try await jane.putNote(note.id, title: text, body: text)
      let stored = try #require(try await jane.getIndex().first)
      #expect(stored.title == text)
      #expect(stored.body == text)
      #expect(try await john.getIndex().isEmpty)
    }
  }

  @Test func `no other field stands for credentials`() async throws {
    try await withUsers { server, jane, _ in
      _ = try await jane.createNote(title: "x", body: "")
      let stranger = NotesApp(server.address, email: "nobody@example.com", password: "x")
      for (name, value) in [
        ("X-Forwarded-User", "jane@example.com"), ("Remote-User", "jane@example.com"),
        ("Cookie", "user_id=1; auth_tkt=1"),
        ("X-HTTP-Method-Override", "GET"), ("Proxy-Authorization", "Basic amFuZQ=="),
      ] {
        await expectAlert(401, "Wrong email address or password.") {
          try await stranger.send("GET", "notes.json", [("token", "token")], fields: [name: value])
        }
      }
      // A token of the Selfie app is for other addresses.
      let app = server.app
      try await app.makeSignInRequest(email: "jane@example.com", password: Self.password)
      let token = try #require(app.helper.keychain["Auth_Token"])
      for (scheme, status) in [("Token token=", 401), ("Bearer ", 403)] {
        await expectAlert(status, "Sign in with your email address and password.") {
          try await jane.send(
            "GET", "notes.json", [("token", "token")], fields: ["Authorization": "\(scheme)\(token)"])
        }
      }
    }
  }
}
