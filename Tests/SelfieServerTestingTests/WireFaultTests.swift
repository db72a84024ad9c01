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

  @Test func `a port that refuses connections for a time`() async throws {
    try await SelfieServer.run { server in
      try await server.world("a").faults.failConnections(.refused, for: .seconds(4))
      let error = await #expect(throws: URLError.self) { try await get("/up", from: server) }
      #expect(error?.code == .cannotConnectToHost)
      try await waitUntil { (try? await get("/up", from: server).status) == 200 }
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
