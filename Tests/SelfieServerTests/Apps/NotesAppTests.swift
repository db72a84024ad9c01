import APITestSupport
import Foundation
import Testing

/// The Notes app against the server, from an empty database.
@Suite(.timeLimit(.minutes(10))) struct NotesAppTests {
  private static let wrong = NotesApp.Alert(status: 401, errors: "Wrong email address or password.")
  private static let missing = NotesApp.Alert(status: 401, errors: "Sign in with your email address and password.")
  private static let unknown = NotesApp.Alert(status: 404, errors: "There is no such note.")

  /// A server on which jane and john have signed up by the Selfie app.
  private func withUsers(_ test: (LocalServer, _ jane: NotesApp, _ john: NotesApp) async throws -> Void) async throws {
    try await LocalServer.run { server in
      for name in ["jane", "john"] { try await server.app.makeSignUpRequest(email: "\(name)@example.com") }
      try await test(server, NotesApp(server.origin), NotesApp(server.origin, email: "john@example.com"))
    }
  }

  @Test func `keeps notes, for their user alone`() async throws {
    try await withUsers { server, jane, john in
      #expect(try await jane.getIndex().isEmpty)
      let (title, body) = (
        "牛乳 & \"bread\" ${x} \u{202E}", "a=b;c+d%20[e]\r\n'); DROP TABLE notes; --</script>\u{1}\\u0000"
      )
      let milk = try await jane.createNote(title: title, body: body)
      #expect(milk.title == title && milk.body == body)
      #expect(milk.created_at == milk.updated_at)
      let bread = try await jane.createNote(title: "", body: "")
      #expect(try await jane.getIndex() == [milk, bread])

      await #expect(throws: Self.unknown) { try await john.putNote(milk.id, title: "Mine", body: "") }
      await #expect(throws: Self.unknown) { try await john.destroyNote(milk.id) }
      // Members that are not the client's to set.
      let taken = try await john.send(
        "POST", "notes.json",
        [
          ("token", "token"), ("note[id]", "\(milk.id)"), ("note[user_id]", "1"), ("note[title]", "x"),
          ("user_id", "1"), ("id", "\(milk.id)"),
        ])
      #expect(String(decoding: taken, as: UTF8.self).contains("\"id\":\(bread.id + 1),"))
      #expect(try await john.getIndex().count == 1)
      #expect(try await jane.getIndex() == [milk, bread])

      server.clock.advance(seconds: 60)
      try await jane.putNote(bread.id, title: "Bread", body: "one loaf")
      let changed = try #require(try await jane.getIndex().last)
      #expect(changed.title == "Bread")
      #expect(changed.updated_at > changed.created_at)
      try await jane.destroyNote(milk.id)
      #expect(try await jane.getIndex() == [changed])
      await #expect(throws: NotesApp.Alert(status: 413, errors: "The request body is larger than 1048576 bytes.")) {
        _ = try await jane.createNote(title: "", body: String(repeating: "x", count: 1 << 20))
      }
    }
  }

  @Test func `what the app shows when credentials are missing or wrong`() async throws {
    try await withUsers { server, jane, _ in
      await #expect(throws: Self.wrong) { try await NotesApp(server.origin, password: "secret13").getIndex() }
      // The first as before the account page was filled in.
      for email in ["", "JANE@example.com", "jane@example.com\0", "jane@example.com\r\nX-User: 1"] {
        await #expect(throws: Self.wrong) { try await NotesApp(server.origin, email: email).getIndex() }
      }
      await #expect(throws: Self.missing) { try await jane.send("GET", "notes.json", []) }
      await #expect(throws: Self.missing) { try await jane.send("POST", "notes.json", [("note[title]", "x")]) }
      // A token of the Selfie app is for other addresses.
      let app = server.app
      try await app.makeSignInRequest()
      let token = try #require(app.token)
      for (scheme, status) in [("Token token=", 401), ("Bearer ", 403)] {
        await #expect(throws: NotesApp.Alert(status: status, errors: Self.missing.errors)) {
          try await jane.send(
            "GET", "notes.json", [("token", "token")], fields: ["Authorization": "\(scheme)\(token)"])
        }
      }
      let guesser = NotesApp(server.origin, email: "john@example.com", password: "guess")
      let john = NotesApp(server.origin, email: "john@example.com")
      for _ in 0..<10 { await #expect(throws: Self.wrong) { try await guesser.getIndex() } }
      await #expect(throws: NotesApp.Alert(status: 429, errors: "Too many failed attempts. Try again in 180 seconds."))
      {
        try await john.getIndex()
      }
      server.clock.advance(seconds: 180)
      let notes = try await john.getIndex()
      #expect(notes.isEmpty)
    }
  }
}
