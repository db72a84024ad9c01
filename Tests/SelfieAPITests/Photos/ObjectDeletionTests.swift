import APITestSupport
import HTTPMessages
import SQL
import TestSupport
import Testing

@testable import SelfieAPI

@Suite(
  .onPostgreSQL, .enabled(if: ObjectsFixture.isAvailable, "\(ObjectsFixture.whatIsNeeded)"),
  .timeLimit(.minutes(5)))
struct `A deleted photo in an object store` {
  @Test func `is gone at once, and its object soon after`() async throws {
    let (api, token) = try await APIFixture.withUser(objects: ObjectsFixture.store())
    let (id, other) = (try await api.newPhoto(token: token), try await api.newPhoto(token: token))
    #expect(await api.deletePhoto(id, token: token).status == .ok)
    #expect(await api.get("/photos/\(id)").status == .notFound)
    #expect(await api.deletePhoto(id, token: token).status == .unauthorized)
    try await api.waitUntilClean()
    #expect(try await api.objects.size(id) == nil)
    #expect(try await api.objects.size(other) == 508)
  }

  @Test func `of a user who is deleted has no object after the next purge`() async throws {
    let (api, token) = try await APIFixture.withUser(objects: ObjectsFixture.store())
    let ids = [try await api.newPhoto(token: token), try await api.newPhoto(token: token)]
    try await api.application.database.run([Query("DELETE FROM users")])
    #expect(try await api.removed.sorted() == ids.sorted())
    try await api.application.photos.purgeDeleted()
    #expect(try await api.removed == [])
    for id in ids { #expect(try await api.objects.size(id) == nil) }
  }

  @Test func `keeps its object until the store is there again, which is logged once`() async throws {
    let away = Array(repeating: RawServer.Reply.response(503), count: 4)
    let server = try RawServer([.stored] + away + away + away + [.response(204)])
    let (api, token) = try await APIFixture.withUser(objects: ObjectsFixture.store(on: server))
    let id = try await api.newPhoto(token: token)
    #expect(await api.deletePhoto(id, token: token).status == .ok)
    func warnings() -> [String] { api.log.lines.filter { $0.contains("objects of deleted photos") } }
    try await waitUntil { !warnings().isEmpty }
    for _ in 0..<2 {
      try await api.makeClaimsOld()
      try await api.application.photos.purgeDeleted()
    }
    #expect(try await api.removed == [id])
    #expect(server.requests.count == 13)
    #expect(warnings().count == 1)
    #expect(warnings().first?.hasPrefix("warning objects of deleted photos stay for now") == true)

    // What was tried is left alone for a while.
    try await api.application.photos.purgeDeleted()
    #expect(server.requests.count == 13)
    try await api.makeClaimsOld()
    try await api.application.photos.purgeDeleted()
    #expect(try await api.removed == [])
    #expect(warnings().count == 2)
    #expect(warnings().last?.hasPrefix("notice objects of deleted photos can be deleted again") == true)
  }

  @Test func `does not keep others from being deleted if the store refuses it`() async throws {
    let server = try RawServer([.error(403, "AccessDenied")] + Array(repeating: .response(204), count: 149))
    let api = try APIFixture(objects: ObjectsFixture.store(on: server))
    try await Self.remove(150, api)
    try await api.application.photos.purgeDeleted()
    #expect(server.requests.count == 150)
    #expect(try await api.removed.count == 1)
  }

  @Test func `is left to others if the server stops`() async throws {
    let server = try RawServer([])
    let api = try APIFixture(objects: ObjectsFixture.store(on: server))
    try await Self.remove(350, api)
    let purge = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await api.application.photos.purgeDeleted()
    }
    try await purge.value
    #expect(server.requests.isEmpty)
    #expect(
      try await api.application.database.rows(Query("SELECT 1 FROM removed_photos WHERE tried_at > 0")).count == 100)
    #expect(!api.log.lines.contains { $0.contains("objects of deleted photos") })
  }

  @Test func `is deleted by one of the processes that purge at once`() async throws {
    let server = try RawServer(Array(repeating: .response(204), count: 400))
    let objects = try ObjectsFixture.store(on: server)
    let processes = try (0..<3).map { _ in try APIFixture(objects: objects) }
    try await Self.remove(350, processes[0])
    try await withThrowingTaskGroup { group in
      for api in processes { group.addTask { try await api.application.photos.purgeDeleted() } }
      try await group.waitForAll()
    }
    #expect(server.requests.count == 350)
    #expect(Set(server.requests.map(\.line)).count == 350)
    #expect(try await processes[0].removed == [])
  }

  private static func remove(_ count: Int64, _ api: APIFixture) async throws {
    try await api.application.database.run([
      Query(
        """
        INSERT INTO removed_photos (random_id)
        SELECT CAST(number AS text) FROM generate_series(1, CAST($1 AS bigint)) AS number
        """, .integer(count))
    ])
  }
}
