import APITestSupport
import HTTPMessages
import SQL
import TestSupport
import Testing

@testable import SelfieAPI

@Suite(.enabled(if: ObjectsFixture.isAvailable, "\(ObjectsFixture.whatIsNeeded)"), .timeLimit(.minutes(5)))
struct `A deleted photo in an object store` {
  @Test func `is gone at once, and its object soon after`() async throws {
    try await SharedTestDatabases.lend { database in
      let api = try ObjectsFixture(database, await ObjectsFixture.store())
      let (_, letters) = try await api.newUser()
      let (id, other) = (try await api.newPhoto(token: letters), try await api.newPhoto(token: letters))
      #expect(await api.delete(id, token: letters).status == .ok)
      #expect(await api.get("/photos/\(id)").status == .notFound)
      #expect(await api.delete(id, token: letters).status == .unauthorized)
      try await api.waitUntilClean()
      #expect(try await api.objects.size(id) == nil)
      #expect(try await api.objects.size(other) == 508)
    }
  }

  @Test func `of a user who is deleted has no object after the next purge`() async throws {
    try await SharedTestDatabases.lend { database in
      let api = try ObjectsFixture(database, await ObjectsFixture.store())
      let (_, letters) = try await api.newUser()
      let ids = [try await api.newPhoto(token: letters), try await api.newPhoto(token: letters)]
      try await api.run(Query("DELETE FROM users"))
      #expect(try await api.removed.sorted() == ids.sorted())
      try await api.application.photos.purgeDeleted()
      #expect(try await api.removed == [])
      for id in ids { #expect(try await api.objects.size(id) == nil) }
    }
  }

  @Test func `keeps its object until the store is there again, which is logged once`() async throws {
    try await SharedTestDatabases.lend { database in
      let away = Array(repeating: RawServer.Reply.response(503), count: 4)
      let server = try RawServer([.response(200)] + away + away + away + [.response(204)])
      let api = try ObjectsFixture(database, ObjectsFixture.store(on: server))
      let (_, letters) = try await api.newUser()
      let id = try await api.newPhoto(token: letters)
      #expect(await api.delete(id, token: letters).status == .ok)
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
  }

  @Test func `does not keep others from being deleted if the store refuses it`() async throws {
    try await SharedTestDatabases.lend { database in
      let server = try RawServer([.response(403)] + Array(repeating: .response(204), count: 149))
      let api = try ObjectsFixture(database, ObjectsFixture.store(on: server))
      try await Self.remove(150, api)
      try await api.application.photos.purgeDeleted()
      #expect(server.requests.count == 150)
      #expect(try await api.removed.count == 1)
    }
  }

  @Test func `is left to others if the server stops`() async throws {
    try await SharedTestDatabases.lend { database in
      let server = try RawServer([])
      let api = try ObjectsFixture(database, ObjectsFixture.store(on: server))
      try await Self.remove(350, api)
      let purge = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try await api.application.photos.purgeDeleted()
      }
      try await purge.value
      #expect(server.requests.isEmpty)
      #expect(try await api.rows(Query("SELECT 1 FROM removed_photos WHERE tried_at > 0")).count == 100)
      #expect(!api.log.lines.contains { $0.contains("objects of deleted photos") })
    }
  }

  @Test func `is deleted by one of the processes that purge at once`() async throws {
    try await SharedTestDatabases.lend { database in
      let server = try RawServer(Array(repeating: .response(204), count: 400))
      let objects = try ObjectsFixture.store(on: server)
      let processes = try (0..<3).map { _ in try ObjectsFixture(database, objects) }
      try await Self.remove(350, processes[0])
      try await withThrowingTaskGroup { group in
        for api in processes { group.addTask { try await api.application.photos.purgeDeleted() } }
        try await group.waitForAll()
      }
      #expect(server.requests.count == 350)
      #expect(Set(server.requests.map(\.line)).count == 350)
      #expect(try await processes[0].removed == [])
    }
  }

  private static func remove(_ count: Int64, _ api: ObjectsFixture) async throws {
    try await api.run(
      Query(
        """
        INSERT INTO removed_photos (random_id)
        SELECT CAST(number AS text) FROM generate_series(1, CAST($1 AS bigint)) AS number
        """, .integer(count)))
  }
}
