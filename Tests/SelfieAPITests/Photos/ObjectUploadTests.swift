import APITestSupport
import Cryptography
import HTTPMessages
import Platform
import SQL
import TestSupport
import Testing

@testable import SelfieAPI

/// Whatever goes wrong: an object without a row is deleted, and a row has its object.
@Suite(
  .onPostgreSQL, .enabled(if: ObjectsFixture.isAvailable, "\(ObjectsFixture.whatIsNeeded)"),
  .timeLimit(.minutes(5)))
struct `An upload into an object store` {
  @Test(arguments: [1, 500, 700_000, 1_200_000])
  func `leaves an object and a row with its digest, and nothing else`(byteCount: Int) async throws {
    let api = try await APIFixture(objects: ObjectsFixture.store())
    let image = Samples.bytes(byteCount)
    let id = try await api.newPhoto(image, token: api.newUser())
    let photo = try #require(
      try await api.application.database.rows(Query("SELECT * FROM photos")).first.map { Photo($0) })
    #expect(photo.randomID == id && photo.byteCount == byteCount && photo.sha256 == Digest.sha256(image))
    #expect(try await api.objects.size(id) == Int64(byteCount))
    #expect(try await api.notes == [])
    try await api.waitUntilClean()
    #expect(!api.folder.exists("photos"))
  }

  /// `PhotoWritesTests` has whatever refuses an upload.
  @Test func `that is refused when it has arrived is deleted`() async throws {
    let server = try RawServer([.stored, .response(204)])
    let (api, token) = try await APIFixture.withUser(objects: ObjectsFixture.store(on: server))
    let refused = try await api.upload(Samples.png, token: token) {
      _ = await api.get("/api/clear_token", as: .holder(of: token))
    }
    #expect(refused.status == .unauthorized)
    #expect(try await api.notes == [])
    try await api.waitUntilClean()
    let lines = server.requests.map { $0.line.split(separator: " ") }
    #expect(lines.map(\.first) == ["PUT", "DELETE"])
    #expect(lines.first?[1] == lines.last?[1])
    #expect(try await api.photos == [])
  }

  @Test(
    arguments: [
      (Array(repeating: .response(503), count: 4), 503, "storage_away"),
      (Array(repeating: .init("", ending: .close), count: 4), 503, "storage_away"),
      ([.response(507)], 507, "storage_full"), ([.error(403, "AccessDenied")], 500, nil),
    ] as [([RawServer.Reply], Int, String?)])
  func `leaves no row if the store does not take it, and an object that came after all is deleted`(
    replies: [RawServer.Reply], status: Int, reason: String?
  ) async throws {
    let server = try RawServer(replies + [.response(204)])
    let api = try APIFixture(objects: ObjectsFixture.store(on: server))
    let response = try await api.upload(token: api.newUser())
    #expect(response.status.code == status)
    #expect(response.fields["X-Error"] == reason)
    #expect(try await api.photos == [])
    #expect(try await api.notes.count == 1)
    #expect(try await api.removed == [])

    let id = try #require(try await api.notes.first)
    try await api.application.photos.purgeDeleted()
    #expect(server.requests.last?.line == "DELETE /selfies/photos/\(id) HTTP/1.1")
    #expect(try await api.notes == [])
    try await api.waitUntilClean()
  }

  @Test func `stays noted if it was sent twice, and its object is deleted twice if it is not wanted`() async throws {
    let server = try RawServer([.response(503), .stored, .response(204), .response(204)])
    let (api, token) = try await APIFixture.withUser(objects: ObjectsFixture.store(on: server))
    let id = try await api.newPhoto(token: token)
    #expect(try await api.notes == [id])
    #expect(await api.deletePhoto(id, token: token).status == .ok)
    try await api.waitUntilClean()
    #expect(try await api.notes == [id])
    #expect(server.requests.count == 3)
    try await api.application.photos.purgeDeleted()
    #expect(server.requests.count == 4)
    #expect(Set(server.requests.suffix(2).map(\.line)) == ["DELETE /selfies/photos/\(id) HTTP/1.1"])
    #expect(try await api.notes == [])
    #expect(try await api.removed == [])
  }

  @Test func `stays stored when the note of its second try is swept`() async throws {
    let server = try RawServer([.response(503), .stored])
    let api = try APIFixture(objects: ObjectsFixture.store(on: server))
    let id = try await api.newPhoto(token: api.newUser())
    try await api.application.photos.purgeDeleted()
    #expect(try await api.notes == [])
    #expect(try await api.removed == [])
    #expect(try await api.photos == [id])
    #expect(server.requests.count == 2)
  }

  @Test func `gets no row if its note is swept before, and its object is deleted again`() async throws {
    var held = RawServer.Reply.stored
    let semaphore = Semaphore()
    held.semaphore = semaphore
    let server = try RawServer([held, .response(204), .response(204)])
    let (api, token) = try await APIFixture.withUser(objects: ObjectsFixture.store(on: server))
    async let response = api.upload(token: token)
    try await waitUntil { server.requests.count == 1 }
    try await api.application.photos.purgeDeleted()
    #expect(server.requests.count == 2)
    #expect(try await api.removed == [])
    semaphore.signal()
    let refused = await response
    #expect(refused.status == .serviceUnavailable)
    #expect(refused.fields["X-Error"] == "busy")
    try await waitUntil { server.requests.count == 3 }
    try await api.waitUntilClean()
    #expect(try await api.photos == [])
  }

  @Test func `whose client goes away leaves no file, and was never noted`() async throws {
    let server = try RawServer([])
    let (api, token) = try await APIFixture.withUser(objects: ObjectsFixture.store(on: server))
    let body = MultipartBody.upload(Samples.bytes(700_000), title: "t")
    let source = PiecesBody(Array(body.prefix(600_000)), sizes: [65_536], failure: .disconnected)
    let response = await api.upload(RequestBody(length: body.count, source: source), token: token)
    #expect(response.status == .badRequest)
    #expect(try await api.notes == [])
    try await api.waitUntilClean()
    #expect(server.requests.count == 0)
  }

  @Test func `leaves no file for the next process, which does not need it`() async throws {
    let api = try APIFixture()
    for name in [String(repeating: "a", count: Photo.idLength), "other"] {
      try api.folder.write([1, 2, 3], to: "incoming/\(name)")
    }
    #expect(try APIFixture(after: api).folder.files(in: "incoming") == [])
  }
}
