import Foundation
import TestSupport
import Testing

@testable import SelfieTestControl

/// `GET /__admin/requests/events`
@Suite(.timeLimit(.minutes(10))) struct EventsEndpointTests {
  let fixture: Fixture

  init() throws { fixture = try Fixture() }

  private func events(_ query: String, world: String? = nil, lastID: String? = nil) async -> Fixture.ControlResponse {
    let fields = [("Host", "localhost")] + (lastID.map { [("Last-Event-ID", $0)] } ?? [])
    return await fixture.send("GET", "/__admin/requests/events\(query)", world: world, fields: fields)
  }

  private func paths(_ response: Fixture.ControlResponse) throws -> [String] {
    try response.text.split(separator: "\n").filter { $0.hasPrefix("data: ") }.map { line in
      let json = try JSONSerialization.jsonObject(with: Data(line.dropFirst("data: ".utf8.count).utf8))
      return try #require((json as? [String: Any])?["path"] as? String)
    }
  }

  @Test func `a client gets what it has not seen yet, with the id to name next`() async throws {
    for path in ["/a", "/b", "/c"] { _ = await fixture.send("GET", path) }
    let all = await events("?since=0")
    #expect(all.fields["Content-Type"] == "text/event-stream")
    #expect(all.fields["Cache-Control"] == "no-store")
    #expect(try paths(all) == ["/a", "/b", "/c"])
    #expect(all.text.contains("\nid: 3\nevent: request\ndata: {"))
    #expect(try paths(await events("", lastID: "1")) == ["/b", "/c"])
    // A browser repeats the address, with what it has seen since in the field.
    #expect(try paths(await events("?since=0", lastID: "2")) == ["/c"])
  }

  @Test func `it waits for the next request of its world`() async throws {
    _ = await fixture.send("GET", "/__admin/clock", world: "other")
    _ = await fixture.send("GET", "/before", world: "other")
    async let response = events("", world: "other")
    try await waitUntil {
      try await fixture.worlds.world(named: "other").journal.state.withLock { !$0.waiters.isEmpty }
    }
    _ = await fixture.send("GET", "/elsewhere")
    _ = await fixture.send("GET", "/after", world: "other")
    #expect(try paths(await response) == ["/after"])
  }

  @Test func `waits end when the server stops, and the oldest of too many event streams ends`() async throws {
    let journal = fixture.worlds.main.journal
    await withTaskGroup { group in
      for _ in 0..<Journal.maxWaiters { group.addTask { [self] in await events("").status } }
      try? await waitUntil { journal.state.withLock { $0.waiters.count == Journal.maxWaiters } }
      group.addTask { [self] in await fixture.send("POST", "/__admin/requests/wait", #"{"timeout":"60s"}"#).status }
      #expect(await group.next() == 200)
      try? await waitUntil { journal.state.withLock { $0.waiters.count == Journal.maxWaiters } }
      fixture.worlds.endDelays()
      for await status in group { #expect(status == 503) }
    }
  }

  @Test(arguments: ["?since=x", "?since=-1", "?after=1"])
  func `invalid members are refused`(query: String) async {
    #expect(await events(query).status == 400)
  }

  @Test func `line ends in what clients send do not end an event`() async throws {
    let hostile = "a\n\ndata: {\"path\":\"/forged\"}\n\n"
    _ = try await fixture.api("POST", "signin", ["email": hostile])
    let response = await events("?since=0")
    #expect(try paths(response) == ["/api/signin"])
  }
}
