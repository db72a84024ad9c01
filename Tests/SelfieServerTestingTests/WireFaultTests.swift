import Foundation
import FoundationNetworking
import SelfieServerTesting
import TestSupport
import Testing

/// Faults as a client of the kind that apps use sees them.
@Suite(.timeLimit(.minutes(10))) struct WireFaultTests {
  /// Gets a page on a connection of its own: on one used before, a lost request would be sent again.
  private func get(_ path: String, from server: SelfieServer) async throws -> (status: Int, body: Data) {
    let session = URLSession(configuration: .ephemeral)
    defer { session.finishTasksAndInvalidate() }
    let (body, response) = try await session.data(from: try #require(URL(string: "\(server.url)\(path)")))
    return (try #require(response as? HTTPURLResponse).statusCode, body)
  }

  @Test(arguments: [
    (FaultRule.drop(), 200), (.drop(.beforeAnswer), 400), (.drop(.inBody), 400), (.drop(.resetInBody), 400),
    (.drop(.empty), 400),
  ])
  func `a lost connection, with or without effect`(rule: FaultRule, statusOfNext: Int) async throws {
    try await SelfieServer.run { server in
      try await server.faults.add(rule.on("POST", "/api/signup").times(1))
      await #expect(throws: URLError.self) { try await App(server).signUp("jo@example.com") }
      #expect(try await App(server).signUp("jo@example.com").status == statusOfNext)
    }
  }

  @Test func `a port that refuses connections until its test ends that`() async throws {
    try await SelfieServer.run { server in
      let ends: [(SelfieServer) async throws -> Void] = [
        { try await $0.faults.failConnections(.refused, for: .zero) }, { try await $0.faults.removeAll() },
        { try await $0.reset() }, { try await $0.removeWorld() },
      ]
      for end in ends {
        let world = server.world("a")
        try await world.faults.failConnections(.refused, for: .seconds(60))
        let error = await #expect(throws: URLError.self) { try await get("/up", from: server) }
        #expect(error?.code == .cannotConnectToHost)
        #expect(try await server.faults.connections?.fault == .refused)
        let mismatch = try await world.requests.mismatch(.any, exactly: 1)
        #expect(mismatch.map { "\($0)" }?.contains("New connections are refused for another ") == true)
        try await end(world)
        #expect(try await get("/up", from: server).status == 200)
      }
      try await server.faults.failConnections(.refused, for: .milliseconds(10))
      try await waitUntil { (try? await get("/up", from: server).status) == 200 }
    }
  }

  @Test(arguments: ConnectionFault.Kind.allCases)
  func `the test itself reaches a server with a certificate of its own, whatever its clients see`(
    fault: ConnectionFault.Kind
  ) async throws {
    let folder = try TemporaryFolder()
    try TestCertificate(for: ["localhost", "127.0.0.1"]).write(to: folder, "tls")
    var configuration = SelfieServer.Configuration()
    configuration.settings = [
      "TLS_CERTIFICATE": "\(folder.path)/tls/certificate.pem", "TLS_KEY": "\(folder.path)/tls/key.pem",
    ]
    try await SelfieServer.run(configuration) { server in
      #expect(server.url.scheme == "https")
      let ada = try await server.seed(.init(email: "ada@example.com", photos: [.init()]))
      #expect(ada.photos.first?.imageURL?.hasPrefix("\(server.url)/photos/") == true)
      try await server.faults.failConnections(fault, for: .seconds(60))
      await #expect(throws: URLError.self) { try await get("/up", from: server) }
      #expect(try await server.faults.connections?.fault == fault)
      try await server.faults.removeAll()
      #expect(try await server.faults.connections == nil)
    }
  }

  @Test(arguments: [
    FaultRule.truncate(after: 5), .truncate(share: 0.9), .truncate(after: 0), .malform(.statusLine),
    .malform(.fieldLine), .malform(.lengthText), .malform(.chunk),
  ])
  func `malformed responses that every client refuses`(rule: FaultRule) async throws {
    try await SelfieServer.run { server in
      try await server.faults.add(rule.on("/"))
      await #expect(throws: URLError.self) { try await get("/", from: server) }
      try await server.faults.removeAll()
      #expect(try await get("/", from: server).status == 200)
    }
  }
}
