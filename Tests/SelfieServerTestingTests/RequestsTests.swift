import Foundation
import SelfieServerTesting
import TestSupport
import Testing

@testable import SelfieControl

/// The requests to a server.
@Suite(.timeLimit(.minutes(10))) struct RequestsTests {
  @Test func `can be verified`() async throws {
    try await SelfieServer.run { server in
      _ = try await App(server).signUp("jo@example.com")
      try server.requests.verify(
        .post("/api/signup", status: 200).with(parameter: "email", "jo@example.com"), exactly: 1)
      let error = #expect(throws: ExchangeMismatch.self) {
        try server.requests.verify(.post("/api/signin"), atLeast: 1)
      }
      #expect(error?.matched == 0)
    }
  }

  @Test func `can be waited for`() async throws {
    try await SelfieServer.run { server in
      async let signedUp = App(server).signUp("jo@example.com").status
      let exchanges = try await server.requests.wait(for: .post("/api/signup"), timeout: .seconds(3600))
      #expect(exchanges.map(\.status) == [200])
      #expect(try await signedUp == 200)
    }
  }

  @Test func `are waited for no longer when it stops`() async throws {
    let waiting = try await SelfieServer.run { server in
      let requests = server.requests
      let waiting = Task { try await requests.wait(timeout: .seconds(3600)).count }
      // Until then it would find nobody to tell.
      try await waitUntil { requests.state.withLock { !$0.waiters.isEmpty } }
      return waiting
    }
    await #expect(throws: WaitingEnded.self) { try await waiting.value }
  }
}
