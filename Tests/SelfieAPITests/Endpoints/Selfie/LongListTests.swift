import APITestSupport
import HTTPMessages
import Platform
import SQL
import TestSupport
import Testing

@testable import SelfieAPI

@Suite(.eachDatabase) struct LongListTests {
  /// Around the length beyond which a list is made on a worker pool of its own.
  @Test(arguments: [1, 199, 200, 201, 500])
  func `a list has every photo once, oldest first, and its ETag stands for it`(count: Int) async throws {
    let api = try APIFixture()
    let token = try await api.newUser()
    let ids = try await insert(count, into: api)
    let response = await api.get("/api/get_photos", as: .holder(of: token))
    #expect(response.status == .ok)
    #expect(response.elements.map { $0["random_id"] } == ids)
    #expect(response.elements.allSatisfy { $0["title"] == "<t>" })

    let tag = try #require(response.fields["ETag"])
    let again = await api.get("/api/get_photos", as: .holder(of: token), fields: [("If-None-Match", tag)])
    #expect(again.status == .notModified)
  }

  private func insert(_ count: Int, title: String = "<t>", into api: APIFixture) async throws -> [String] {
    let ids = (0..<count).map { String(repeating: "a", count: Photo.idLength - 4) + letters($0) }
    try await api.application.database.run(
      ids.map { id in
        Query(
          """
          INSERT INTO photos (random_id, user_id, name, title, byte_count, content_type, created_at, updated_at)
          VALUES ($1, 1, 'n', $2, 1, 'image/png', 1, 1)
          """, .text(id), .text(title))
      })
    return ids
  }

  /// By their bytes, and by their photos.
  @Test(arguments: [150, 500])
  func `all who are sent the same long list share its bytes`(count: Int) async throws {
    let api = try APIFixture()
    let token = try await api.newUser()
    _ = try await insert(count, title: String(repeating: "<", count: 200), into: api)
    var responses: [Response] = []
    for _ in 0..<20 { responses.append(await api.get("/api/get_photos", as: .holder(of: token))) }
    let lists = try responses.map { response in
      guard case .shared(let list) = response.body else { throw NotShared() }
      return ObjectIdentifier(list)
    }
    #expect(Set(lists).count == 1)
    // A worker may hold what it has made for a moment longer.
    try await waitUntil { api.memory.usedBytes == responses[0].content.count }
    responses = []
    try await waitUntil { api.memory.usedBytes == 0 }
  }

  private struct NotShared: Error {}

  @Test func `a list that has changed is another one`() async throws {
    let api = try APIFixture()
    let token = try await api.newUser()
    let ids = try await insert(500, title: String(repeating: "<", count: 200), into: api)
    let before = await api.get("/api/get_photos", as: .holder(of: token))
    let deleted = await api.send("DELETE", "/api/delete_photo", as: .holder(of: token), ["photo_id": ids[7]])
    #expect(deleted.status == .ok)
    let after = await api.get("/api/get_photos", as: .holder(of: token))
    #expect(before.elements.count == 500)
    #expect(after.elements.count == 499)
  }

  @Test(arguments: [150, 500])
  func `a long list for which there is no memory is refused, a short one is not`(count: Int) async throws {
    let api = try APIFixture(memory: MemoryBudget(limit: 1 << 20))
    let token = try await api.newUser()
    let other = MemoryReservation(of: api.memory)
    try other.resize(to: 900_000)
    #expect(await api.get("/api/get_photos", as: .holder(of: token)).status == .ok)
    _ = try await insert(count, title: String(repeating: "<", count: 200), into: api)
    let response = await api.get("/api/get_photos", as: .holder(of: token))
    #expect(response.status == .serviceUnavailable)
    #expect(response.message == "The server's memory is taken by other requests. Try again in a moment.")
    #expect(response.fields["Retry-After"] == "1")
    #expect(response.fields["X-Error"] == "busy")
    #expect(api.memory.usedBytes == 900_000)
    withExtendedLifetime(other) {}
  }

  private func letters(_ number: Int) -> String {
    let digits = (0..<4).map { UInt8(number >> ($0 * 4) & 15) }
    return String(decoding: digits.map { $0 + UInt8(ascii: "a") }, as: UTF8.self)
  }
}
