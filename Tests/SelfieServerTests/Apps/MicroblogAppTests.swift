import APITestSupport
import Foundation
import Testing

/// The Microblog app against the server, from an empty database.
@Suite(.timeLimit(.minutes(10))) struct MicroblogAppTests {
  private static let invalid = MicroblogApp.Failure.shows("You have entered an invalid username or password")

  @Test func `presents its login, and sends the post again`() async throws {
    try await LocalServer.run { server in
      let app = MicroblogApp(server.origin)
      #expect(try await app.loadPosts().isEmpty)
      try await app.register("ada", "p")
      await #expect(throws: MicroblogApp.Failure.status(409)) { try await app.register("ada", "p") }
      await #expect(throws: MicroblogApp.Failure.loginIsPresented) { try await app.sendPost("Hello") }
      try await app.login("ada", "p")
      let text = "Hello \"world\" \u{1F600}\r\n'); DROP TABLE blogposts; --\u{2028}\u{200B}"
      let id = try await app.sendPost(text)
      let posts = try await app.loadPosts()
      #expect(posts.map(\.id) == [id])
      #expect(UUID(uuidString: id) != nil)
      #expect(posts.first?.text == text)
      #expect(posts.first?.creator == "ada")
      let created = try #require(posts.first?.created)
      let date = try Date(created, strategy: .iso8601.year().month().day().time(includingFractionalSeconds: true))
      #expect(date.timeIntervalSince1970 == Double(server.clock.now) / 1000)
      #expect(String(decoding: try await app.send("GET", "/users").0, as: UTF8.self).contains(#""name":"ada""#))
      await #expect(throws: MicroblogApp.Failure.shows("An error occured, please try again later.")) {
        try await app.sendPost(" \n")
      }

      // The session ends with the app, which keeps its cookies in memory, and by a logout.
      let restarted = MicroblogApp(server.origin)
      #expect(try await restarted.loadPosts() == posts)
      await #expect(throws: MicroblogApp.Failure.loginIsPresented) { try await restarted.sendPost("again") }
      for name in ["nobody", "Ada", ""] { await #expect(throws: Self.invalid) { try await restarted.login(name, "p") } }
      for _ in 0..<10 { await #expect(throws: Self.invalid) { try await restarted.login("ada", "guess") } }
      await #expect(throws: MicroblogApp.Failure.shows("An error occured, please try again later")) {
        try await restarted.login("ada", "p")
      }
      // Whoever is logged in already is not concerned.
      try await app.sendPost("Still here")
      try await app.logout()
      await #expect(throws: MicroblogApp.Failure.loginIsPresented) { try await app.sendPost("again") }
    }
  }
}
