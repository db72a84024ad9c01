import APITestSupport
import Foundation
import Testing

/// The Notes app against the server, from an empty database.
@Suite(.timeLimit(.minutes(10))) struct NotesAppTests {
  private static let wrong = NotesApp.Alert(status: 401, errors: "Wrong email address or password.")
  private static let unknown = NotesApp.Alert(status: 404, errors: "There is no such note.")

  @Test func `keeps notes, for their user alone`() async throws {
    try await LocalServer.run { server in
      // By the Selfie app.
      for name in ["jane", "john"] { try await server.app.makeSignUpRequest(email: "\(name)@example.com") }
      let (jane, john) = (NotesApp(server.origin), NotesApp(server.origin, email: "john@example.com"))
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
      #expect(try await john.getIndex().isEmpty)
      #expect(try await jane.getIndex() == [milk, bread])

      server.clock.advance(seconds: 60)
      try await jane.putNote(bread.id, title: "Bread", body: "one loaf")
      let changed = try #require(try await jane.getIndex().last)
      #expect(changed.title == "Bread")
      #expect(changed.updated_at > changed.created_at)
      try await jane.destroyNote(milk.id)
      #expect(try await jane.getIndex() == [changed])
      // The first as before the account page was filled in.
      for email in ["", "JANE@example.com", "jane@example.com\0", "jane@example.com\r\nX-User: 1"] {
        await #expect(throws: Self.wrong) { try await NotesApp(server.origin, email: email).getIndex() }
      }
    }
  }
}
