import APITestSupport
import Cryptography
import HTTPMessages
import Platform
import SelfieControl
import TestSupport
import Testing

@testable import SelfieAPI

/// Long lists of the Notes and the Microblog app take memory that is counted, and share it.
@Suite(.timeLimit(.minutes(10))) struct LongFamilyListsTests {
  private static let cookie = String(repeating: "c", count: MicroblogSession.cookieLength)
  private static let text = String(repeating: "<", count: 500)

  /// Notes of jane, posts, and a thousand users.
  private static func filled(_ api: APIFixture) async throws {
    let names = (0..<1000).map { String(repeating: "n", count: 200) + "\($0)" }
    _ = try await api.state.seed(
      Seed(
        users: [.init(email: "jane@example.com", notes: .init(repeating: .init(title: "t", body: text), count: 100))],
        microblogUsers: [
          .init(name: "ada", sessions: [.init(cookie)], blogposts: .init(repeating: .init(text), count: 100))
        ] + names.map { .init(name: $0) }))
  }

  private static func list(_ path: String, _ api: APIFixture) async -> Response {
    let credentials = Base64.encode(Array("jane@example.com:\(Seed.defaultPassword)".utf8))
    return await api.get(
      "\(path)?token=token", fields: [("Authorization", "Basic \(credentials)"), ("Cookie", "auth_tkt=\(cookie)")])
  }

  @Test(arguments: ["/notes.json", "/blogposts", "/users"])
  func `all who are sent the same long list share its bytes`(path: String) async throws {
    let api = try APIFixture()
    try await Self.filled(api)
    var responses: [Response] = []
    for _ in 0..<5 { responses.append(await Self.list(path, api)) }
    let lists = responses.compactMap { response in
      if case .shared(let list) = response.body { ObjectIdentifier(list) } else { nil }
    }
    #expect(lists.count == 5)
    #expect(Set(lists).count == 1)
    let byteCount = responses[0].content.count
    try await waitUntil { api.memory.usedBytes == byteCount }
    responses = []
    try await waitUntil { api.memory.usedBytes == 0 }
  }

  @Test(arguments: ["/notes.json", "/blogposts", "/users"])
  func `a long list for which there is no memory is refused`(path: String) async throws {
    let api = try APIFixture(memory: MemoryBudget(limit: 1 << 20))
    try await Self.filled(api)
    let other = MemoryReservation(of: api.memory)
    try other.resize(to: 900_000)
    let response = await Self.list(path, api)
    #expect(response.status == .serviceUnavailable)
    #expect(response.fields["Retry-After"] == "1")
    #expect(response.message == "The server's memory is taken by other requests. Try again in a moment.")
    try await waitUntil { api.memory.usedBytes == 900_000 }
    withExtendedLifetime(other) {}
  }

  @Test func `a family that is off has no addresses`() async throws {
    let api = try APIFixture { $0.families = [.selfie, .notes] }
    for path in ["/blogposts", "/users", "/probe_status"] {
      let response = await Self.list(path, api)
      #expect(response.status == .notFound)
      #expect(response.message == "Wrong URL or HTTP method")
    }
  }
}
