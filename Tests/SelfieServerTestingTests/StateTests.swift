import Foundation
import FoundationNetworking
import SelfieServerTesting
import Testing

/// What a server stores.
@Suite(.timeLimit(.minutes(10))) struct StateTests {
  private static let jane = Seed.User(
    email: "jane@example.com", password: "open sesame", tokens: ["janes-token"], photos: [.init(title: "At the sea")],
    notes: [.init(title: "Milk"), .init(title: "Bread")])

  @Test func `users of each app can be seeded`() async throws {
    try await SelfieServer.run { server in
      let jane = try await server.seed(Self.jane)
      let app = App(server)
      #expect(try await app.signIn(jane.email, password: "open sesame").status == 200)
      let photos = try await app.photos(token: "janes-token").json as? [[String: Any]]
      #expect(photos?.map { $0["random_id"] as? String } == jane.photos.map(\.randomID))
      #expect(jane.notes.map(\.title) == ["Milk", "Bread"])
      let ada = try await server.seed(.init(name: "ada", sessions: [.init()], blogposts: ["Hello"]))
      var request = URLRequest(url: server.url.appending(path: "users"))
      request.setValue("auth_tkt=\(try #require(ada.sessions[0].cookie))", forHTTPHeaderField: "Cookie")
      let (data, _) = try await URLSession.shared.data(for: request)
      #expect(String(decoding: data, as: UTF8.self) == #"{"data":{"users":[{"name":"ada"}]}}"#)
    }
  }

  @Test func `a reset leaves nothing but snapshots, and tokens can be ended`() async throws {
    try await SelfieServer.run { server in
      try await server.seed(Self.jane)
      try await server.snapshots.save("jane")
      try await server.faults.add(.status(503))
      try await server.clock.freeze(at: .distantPast)
      try await server.reset()
      #expect(try await server.state().users.isEmpty)
      #expect(try await App(server).signUp("jo@example.com").status == 200)
      #expect(try await !server.clock.isFrozen)
      try await server.snapshots.restore("jane")
      #expect(try await App(server).photos(token: "janes-token").status == 200)

      try await server.seed(.init(email: "john@example.com", tokens: ["johns-token"]))
      #expect(try await server.expireTokens(of: "jane@example.com") == 1)
      #expect(try await App(server).photos(token: "johns-token").status == 200)
      #expect(try await server.revokeTokens() == 2)
      #expect(try await App(server).photos(token: "johns-token").status == 401)
    }
  }

  @Test func `the clock stands still, and goes on`() async throws {
    try await SelfieServer.run { server in
      let newYear = Date(timeIntervalSince1970: 1_767_225_600)
      try await server.clock.freeze(at: newYear)
      #expect(try await server.clock.now == newYear)
      try await server.clock.advance(by: .milliseconds(-1500))
      #expect(try await server.clock.now == newYear.addingTimeInterval(-1.5))
      try await server.clock.set(to: newYear)
      try await server.clock.freeze()
      #expect(try await server.clock.now == newYear)
      #expect(try await server.clock.isFrozen)
      try await server.clock.run()
      #expect(try await !server.clock.isFrozen)
      try await server.clock.reset()
      #expect(try await server.clock.now > newYear)
    }
  }

  /// Tests that import nothing else can name the documents of the library.
  @Test func `all documents can be named`() async throws {
    try await SelfieServer.run { server in
      let rule = FaultRule.status(503)
      try await server.faults.add([rule, .status(422, json: #"{"a":[1,null]}"#)])
      let listed: [ListedFault] = try await server.faults.all
      let body = JSONValue.object(["a": .array([.number("1"), .null])])
      #expect(listed.map(\.rule.effect) == [rule.effect, .response(FaultResponse(status: 422, content: .json(body)))])
      #expect(throws: (any Error).self) { try FaultRule.status(422, json: "{") }
      let kinds: [ConnectionFault.Kind] = ConnectionFault.Kind.allCases
      #expect(kinds.contains(.refused))
      let filter = ExchangeFilter.post("/api/signup")
      let first: Exchange? = try await server.requests.exchanges(matching: filter).first
      #expect(first == nil)
      let saved: Snapshot = try await server.snapshots.save("a-name")
      let counts: StateCounts = saved.second
      #expect(counts.users == 0)
      #expect(try await server.snapshots.all == [saved])
      try await server.snapshots.remove("a-name")
      #expect(try await server.snapshots.all.isEmpty)
    }
  }
}
