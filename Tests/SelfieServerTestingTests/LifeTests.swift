import Foundation
import TestSupport
import Testing

@testable import SelfieServerTesting

/// The life of a server.
@Suite(.timeLimit(.minutes(10))) struct LifeTests {
  private struct Failure: Error {}

  @Test(arguments: [false, true])
  func `it responds until its test is over, or fails`(fails: Bool) async throws {
    var app: App?
    do {
      try await SelfieServer.run { server in
        app = App(server)
        #expect(try await App(server).signUp("jo@example.com").status == 200)
        if fails { throw Failure() }
      }
    } catch is Failure {
      #expect(fails)
    }
    let stopped = try #require(app)
    await #expect(throws: URLError.self) { try await stopped.signUp("jo@example.com") }
  }

  @Test func `one that nobody stops ends with its last user`() async throws {
    var server: SelfieServer? = try await SelfieServer.start()
    let url = try #require(server?.url)
    #expect(try await isUp(url))
    server = nil
    try await waitUntil { try await !isUp(url) }
  }

  private func isUp(_ url: URL) async throws -> Bool {
    do {
      try await ControlClient(url: url, credentials: nil, world: nil).send("GET", "clock")
      return true
    } catch is URLError {
      return false
    } catch let error as ControlError where error.status == nil {
      return false
    }
  }

  @Test(arguments: [FaultRule.delay(.seconds(60)), .drip(bytes: 1, every: .seconds(60))])
  func `a stopped server does not wait for delayed responses`(rule: FaultRule) async throws {
    let held = try await SelfieServer.run { server in
      // An hour in all.
      try await server.faults.add(Array(repeating: rule, count: 60))
      let app = App(server)
      let held = Task { try await app.signUp("jo@example.com").status }
      try await waitUntil { try await server.faults.all.first?.fired == 1 }
      return held
    }
    #expect(try await held.value == 200)
  }

  @Test func `it stops when its test is cancelled`() async throws {
    let (servers, started) = AsyncStream.makeStream(of: SelfieServer.self)
    let test = Task {
      try await SelfieServer.run { server in
        started.yield(server)
        try await Task.sleep(for: .seconds(3600))
      }
    }
    let server = try #require(await servers.first { _ in true })
    test.cancel()
    await #expect(throws: CancellationError.self) { try await test.value }
    await #expect(throws: URLError.self) { try await App(server).signUp("jo@example.com") }
  }

  @Test func `a server that cannot start is an error`() async throws {
    try await SelfieServer.run { server in
      var configuration = SelfieServer.Configuration()
      configuration.port = server.port
      let error = await #expect(throws: ControlError.self) { try await SelfieServer.start(configuration) }
      #expect(error?.description.hasPrefix("The server did not start.") == true)
      #expect(error?.description.contains("Port \(server.port) on 127.0.0.1 is already in use.") == true)
    }
    for path in ["/nowhere", "/usr"] {
      let error = await #expect(throws: ControlError.self) {
        try await SelfieServer.start(.init(), in: ["SELFIE_SERVER": path])
      }
      #expect(error?.description.hasPrefix("SELFIE_SERVER is \(path), which is no executable file.") == true)
    }
    for address in ["localhost:3000", "http://localhost:3000/api", "http://", "http://localhost:3000?a=1"] {
      let error = await #expect(throws: ControlError.self) {
        try await SelfieServer.start(.init(), in: ["SELFIE_URL": address])
      }
      #expect(error?.description.contains("SELFIE_URL is \(address), but it must be an address") == true)
    }
    var configuration = SelfieServer.Configuration()
    configuration.settings["TOKEN_LIFETIME"] = "1h"
    let error = await #expect(throws: ControlError.self) {
      try await SelfieServer.start(configuration, in: ["SELFIE_URL": "http://localhost:3000"])
    }
    #expect(error?.description.contains("cannot choose its settings: TOKEN_LIFETIME.") == true)
  }

  @Test func `a request to a server that has ended says so`() async throws {
    let server = try await SelfieServer.run { $0 }
    let error = await #expect(throws: ControlError.self) { try await server.reset() }
    #expect(error?.description.contains("Has the server ended") == true)
  }

  @Test func `it has the settings that its test gives`() async throws {
    var configuration = SelfieServer.Configuration()
    configuration.apiAuthName = "name"
    configuration.apiAuthPassword = "password"
    configuration.settings = ["TOKEN_LIFETIME": "1m", "REFRESH_LIFETIME": "1m", "MAX_PHOTO_BYTES": "5"]
    try await SelfieServer.run(configuration) { server in
      #expect((server.apiAuthName, server.apiAuthPassword) == ("name", "password"))
      #expect(server.encrypted("p") == AppRequests(name: "name", password: "password").encrypt("p"))
      let app = App(server)
      try await server.clock.freeze(at: Date(timeIntervalSince1970: 0))
      #expect(try await app.signUp("jo@example.com").status == 200)
      let user = try await app.signIn("jo@example.com")
      #expect(user["authtoken_expiry"] == "1970-01-01T00:01:00.000Z")
      let token = try #require(user["api_authtoken"])
      #expect(try await app.upload("bytes", title: "", token: token).status == 200)
      #expect(try await app.upload("bytes!", title: "", token: token).status == 413)
      try await server.seed(.init(email: "ada@example.com", tokens: ["first", "second"]))
      #expect(try await server.expireTokens() == 3)
      try await server.clock.advance(by: .seconds(60))
      #expect(try await app.refresh(token: "first")["api_authtoken"] != nil)
      try await server.clock.advance(by: .milliseconds(1))
      #expect(try await app.refresh(token: "second").status == 403)
    }
  }

  @Test func `with a seed for random numbers, equal tests get equal responses`() async throws {
    var configuration = SelfieServer.Configuration()
    configuration.random = 42
    var answers: [[String?]] = []
    for _ in 0..<2 {
      try await SelfieServer.run(configuration) { server in
        for world in [server, server, server.world("a")] {
          try await world.reset()
          try await world.clock.freeze(at: Date(timeIntervalSince1970: 1_767_225_600))
          #expect(try await App(world).signUp("jo@example.com").status == 200)
          let user = try await App(world).signIn("jo@example.com")
          answers.append([user["api_authtoken"], user["authtoken_expiry"]])
        }
      }
    }
    #expect(answers[0][0]?.count == 24)
    #expect(answers[0] == answers[1] && answers[0] == answers[3] && answers[0] == answers[4])
    #expect(answers[2] == answers[5] && answers[0] != answers[2])
  }

  // MARK: - Containers

  /// For servers in containers, by a stand-in for Docker whose images are executables.
  private let containers = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("SELFIE_") }.merging([
    "SELFIE_IMAGE": "\(Bundle.main.bundlePath)/selfie-server", "SELFIE_DOCKER": "\(checkout)/Tests/Control/docker",
  ]) { $1 }

  @Test func `a container is started with the settings of its test, and stopped`() async throws {
    var configuration = SelfieServer.Configuration()
    (configuration.apiAuthName, configuration.apiAuthPassword) = ("name", "password")
    configuration.settings = ["MAX_PHOTO_BYTES": "5"]
    let server = try await SelfieServer.start(configuration, in: containers)
    let other = try await SelfieServer.start(.init(), in: containers)
    #expect(server.url != other.url && server.world == nil)
    let credentials = try #require(server.control.credentials)
    #expect(credentials.hasPrefix("tests:") && credentials != other.control.credentials)
    #expect((server.apiAuthName, other.apiAuthName) == ("name", "selfie-tests"))
    try await server.seed(.init(email: "ada@example.com", tokens: ["ada-token"]))
    try await server.faults.failConnections(.refused, for: .seconds(60))
    await #expect(throws: URLError.self) { try await App(server).signUp("jo@example.com") }
    try await server.faults.removeAll()
    #expect(try await App(server).upload("bytes!", title: "", token: "ada-token").status == 413)
    #expect(try await App(other).signUp("jo@example.com").status == 200)
    for server in [server, other] { await server.stop() }
    await #expect(throws: ControlError.self) { try await server.reset() }
  }

  @Test func `a container may have a port, and one that does not start is an error`() async throws {
    let free = try await SelfieServer.run { $0.port }
    var configuration = SelfieServer.Configuration()
    configuration.port = free
    let server = try await SelfieServer.start(configuration, in: containers)
    #expect(server.port == free)
    let error = await #expect(throws: ControlError.self) {
      try await SelfieServer.start(configuration, in: containers)
    }
    #expect(error?.message.contains("did not start") == true)
    await server.stop()
  }
}
