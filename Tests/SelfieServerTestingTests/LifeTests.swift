import Foundation
import SelfieServerTesting
import TestSupport
import Testing

/// The life of a server.
@Suite(.timeLimit(.minutes(10))) struct LifeTests {
  private struct Failure: Error {}

  @Test(arguments: [false, true])
  func `it responds until its test is over, or fails, and leaves no files behind`(fails: Bool) async throws {
    var app: App?
    do {
      try await SelfieServer.run { server in
        app = App(server)
        #expect(try await App(server).signUp("jo@example.com").status == 200)
        #expect(FileManager.default.fileExists(atPath: "\(server.storage)/selfie.sqlite3"))
        if fails { throw Failure() }
      }
    } catch is Failure {
      #expect(fails)
    }
    let stopped = try #require(app)
    await #expect(throws: URLError.self) { try await stopped.signUp("jo@example.com") }
    #expect(!FileManager.default.fileExists(atPath: stopped.server.storage))
  }

  @Test func `a stopped server does not wait for delayed responses`() async throws {
    var configuration = SelfieServer.Configuration()
    configuration.drain = .seconds(3600)
    let held = try await SelfieServer.run(configuration) { server in
      // An hour in all.
      try server.faults.add(Array(repeating: .delay(.seconds(60)), count: 60))
      let app = App(server)
      let held = Task { try await app.signUp("jo@example.com").status }
      try await waitUntil { server.faults.all.first?.fired == 1 }
      return held
    }
    #expect(try await held.value == 200)
  }

  @Test func `it stops when its test is cancelled`() async throws {
    let (ports, port) = AsyncStream.makeStream(of: SelfieServer.self)
    let test = Task {
      try await SelfieServer.run { server in
        port.yield(server)
        try await Task.sleep(for: .seconds(3600))
      }
    }
    let server = try #require(await ports.first { _ in true })
    test.cancel()
    await #expect(throws: CancellationError.self) { try await test.value }
    await #expect(throws: URLError.self) { try await App(server).signUp("jo@example.com") }
  }

  @Test func `the error names a port that is in use`() async throws {
    try await SelfieServer.run { server in
      var configuration = SelfieServer.Configuration()
      configuration.port = server.port
      let error = await #expect(throws: (any Error).self) { try await SelfieServer.start(configuration) }
      #expect(error.map { "\($0)" }?.contains("Port \(server.port) on 127.0.0.1 is already in use.") == true)
    }
  }

  @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.min)])
  func `no time is too long or too short for it`(duration: Duration) async throws {
    var configuration = SelfieServer.Configuration()
    configuration.drain = duration
    configuration.tokenLifetime = duration
    configuration.refreshLifetime = duration
    try await SelfieServer.run(configuration) { server in
      let app = App(server)
      server.clock.freeze(at: Date(timeIntervalSince1970: 0))
      #expect(try await app.signUp("jo@example.com").status == 200)
      let expected = duration > .zero ? "2070-01-01T00:00:00.000Z" : "1970-01-01T00:00:01.000Z"
      let user = try await app.signIn("jo@example.com")
      #expect(user["authtoken_expiry"] == expected)
    }
  }

  @Test func `it has the settings that its test gives`() async throws {
    var configuration = SelfieServer.Configuration()
    configuration.apiAuthName = "name"
    configuration.apiAuthPassword = "password"
    configuration.tokenLifetime = .seconds(60)
    configuration.refreshLifetime = .seconds(60)
    configuration.maxPhotoBytes = 5
    try await SelfieServer.run(configuration) { server in
      #expect((server.apiAuthName, server.apiAuthPassword) == ("name", "password"))
      let app = App(server)
      server.clock.freeze(at: Date(timeIntervalSince1970: 0))
      #expect(try await app.signUp("jo@example.com").status == 200)
      let user = try await app.signIn("jo@example.com")
      #expect(user["authtoken_expiry"] == "1970-01-01T00:01:00.000Z")
      let token = try #require(user["api_authtoken"])
      #expect(try await app.upload("bytes", title: "", token: token).status == 200)
      #expect(try await app.upload("bytes!", title: "", token: token).status == 413)
      try await server.seed(.init(email: "ada@example.com", tokens: ["first", "second"]))
      #expect(try await server.expireTokens() == 3)
      server.clock.advance(by: .seconds(60))
      #expect(try await app.refresh(token: "first")["api_authtoken"] != nil)
      server.clock.advance(by: .milliseconds(1))
      #expect(try await app.refresh(token: "second").status == 403)
    }
  }
}
