import APITestSupport
import HTTPMessages
import SQLite
import SelfieTestControl
import SelfieTestDocuments
import Testing
import SQL

@testable import SelfieAPI

/// `USER_QUOTA` and `STORAGE_QUOTA`, in bytes of photos, and `MAX_PHOTOS`. `PhotoWritesTests` has their limits.
@Suite(.eachDatabase) struct QuotaTests {
  private static func image(_ byteCount: Int) -> [UInt8] {
    Array(Samples.png.prefix(byteCount)) + [UInt8](repeating: 7, count: max(0, byteCount - Samples.png.count))
  }

  private static func upload(_ byteCount: Int, _ token: String, to api: APIFixture) async -> Response {
    await api.upload(image(byteCount), token: token)
  }

  @Test func `an account, and all accounts together, have as many bytes of photos as they may`() async throws {
    let (api, token) = try await APIFixture.withUser { ($0.storageQuota, $0.userQuota) = (3000, 2048) }
    let other = try await api.newUser("other@example.com")
    let id = try await api.newPhoto(Self.image(1024), token: token)
    #expect(await Self.upload(1024, token, to: api).status == .ok)
    let ofUser = await Self.upload(100, token, to: api)
    #expect(ofUser.status == .insufficientStorage)
    #expect(ofUser.message == "The photos of an account may use 2 KB in total. Delete some first.")
    #expect(ofUser.fields["X-Error"] == "user_quota")
    #expect(await api.get("/readyz").status == .ok)

    let ofAll = await Self.upload(953, other, to: api)
    #expect(ofAll.status == .insufficientStorage)
    #expect(
      ofAll.message
        == "The server's photos have reached the owner's limit of 3000 bytes. No more can be stored.")
    #expect(ofAll.fields["X-Error"] == "storage_quota")
    #expect(await api.deletePhoto(id, token: token).status == .ok)
    #expect(await Self.upload(953, other, to: api).status == .ok)
    #expect(await Self.upload(1023, token, to: api).status == .ok)
  }

  @Test(.fileOnly) func `an account has as many photos as it may have, and nothing remains of one too many`()
    async throws
  {
    let (api, token) = try await APIFixture.withUser { $0.maxPhotos = 1 }
    let id = try await api.newPhoto(token: token)
    let refused = await api.upload(token: token)
    #expect(refused.status == .insufficientStorage)
    #expect(refused.message == "This account has reached its limit of photos: 1. Delete some first.")
    #expect(refused.fields["X-Error"] == "too_many_photos")
    api.finishFiling()
    #expect(try api.folder.names(in: "incoming").isEmpty)
    #expect(try api.folder.files(in: "photos").map { String($0.suffix(Photo.idLength)) } == [id])
  }

  @Test(.fileOnly) func `uploads at the same time do not exceed a quota together, and leave no file behind`()
    async throws
  {
    let (api, token) = try await APIFixture.withUser { $0.userQuota = 5000 }
    let statuses = await withTaskGroup { group in
      for _ in 0..<20 { group.addTask { await Self.upload(1000, token, to: api).status } }
      return await group.reduce(into: [Status]()) { $0.append($1) }
    }
    #expect(statuses.count { $0 == .ok } == 5)
    #expect(statuses.count { $0 == .insufficientStorage } == 15)
    #expect(try api.count("SELECT sum(byte_count) FROM photos") == 5000)
    api.finishFiling()
    #expect(try api.folder.names(in: "incoming").isEmpty)
    #expect(try api.folder.files(in: "photos").count == 5)
  }

  @Test(.fileOnly) func `a body that cannot fit is refused before any of it is read`() async throws {
    let (api, token) = try await APIFixture.withUser { $0.userQuota = 1000 }
    _ = try await api.newPhoto(Self.image(1000), token: token)
    let small = RequestBody(length: 400, source: UnreadBody())
    #expect(await api.upload(small, token: token).fields["X-Error"] == "user_quota")
    let empty = try APIFixture { $0.storageQuota = 1000 }
    let large = RequestBody(length: RequestLimits.maxBytesBesidePhoto + 1001, source: UnreadBody())
    let refused = await empty.upload(large, token: try await empty.newUser())
    #expect(refused.fields["X-Error"] == "storage_quota")
  }

  @Test(.fileOnly) func `a photo of unknown length is refused as soon as it does not fit`() async throws {
    let (api, token) = try await APIFixture.withUser { $0.userQuota = 300_000 }
    let source = EndlessBody(after: MultipartBody.file("image", filename: "photo", Samples.png))
    let response = await api.upload(RequestBody(length: nil, source: source), token: token)
    #expect(response.fields["X-Error"] == "user_quota")
    #expect(source.readBytes.load(ordering: .relaxed) < 450_000)
    api.finishFiling()
    #expect(try api.folder.names(in: "incoming").isEmpty)
  }

  @Test(.fileOnly) func `what tests seed counts, but is not refused`() async throws {
    let api = try APIFixture { $0.userQuota = 100 }
    _ = try await api.state.seed(
      Seed(users: [
        Seed.User(email: "jane@example.com", password: APIFixture.password, photos: [Seed.Photo(Self.image(500))])
      ]))
    let token = try await api.signIn()
    #expect(await Self.upload(100, token, to: api).fields["X-Error"] == "user_quota")
  }

  @Test(.fileOnly) func `an expired token is told before a quota`() async throws {
    let (api, token) = try await APIFixture.withUser { $0.userQuota = 10 }
    api.clock.advance(seconds: api.application.settings.tokenLifetime)
    #expect(await Self.upload(100, token, to: api).fields["X-Error"] == "expired_token")
  }

  @Test(.fileOnly) func `the sums are right whatever becomes of photos and users`() async throws {
    let api = try APIFixture()
    let (token, other) = (try await api.newUser(), try await api.newUser("other@example.com"))
    let id = try await api.newPhoto(Self.image(600), token: token)
    _ = try await api.newPhoto(Self.image(700), token: token)
    _ = try await api.newPhoto(Self.image(800), token: other)
    _ = await api.deletePhoto(id, token: token)
    #expect(try api.count("SELECT sum(byte_count) FROM photo_bytes") == 1500)
    #expect(try api.count("SELECT sum(photo_count) FROM photo_bytes") == 2)
    try await api.database.write { connection in
      try connection.run(Query("DELETE FROM users WHERE email = ?", .text("other@example.com")))
    }
    #expect(try api.count("SELECT sum(byte_count) FROM photo_bytes") == 700)
    #expect(try api.count("SELECT sum(photo_count) FROM photo_bytes") == 1)
    try await api.state.reset()
    #expect(try api.count("SELECT count(*) FROM photo_bytes") == 0)
  }

  // MARK: - Uploads that are no photos yet

  @Test func `an account's unfinished uploads count as they arrive, and never twice`() async throws {
    let api = try APIFixture { $0.userQuota = 1_000_000 }
    let (token, other) = (try await api.newUser(), try await api.newUser("other@example.com"))
    let response = try await api.upload(Self.image(800_000), token: token) {
      #expect(await Self.upload(700_000, token, to: api).fields["X-Error"] == "user_quota")
      #expect(await Self.upload(1_000_000, other, to: api).status == .ok)
    }
    #expect(response.status == .ok)
    #expect(await Self.upload(200_001, token, to: api).fields["X-Error"] == "user_quota")
    #expect(await Self.upload(200_000, token, to: api).status == .ok)
  }

  @Test func `the unfinished uploads of all accounts count against the server's quota`() async throws {
    let api = try APIFixture { $0.storageQuota = 1_000_000 }
    let (token, other) = (try await api.newUser(), try await api.newUser("other@example.com"))
    let response = try await api.upload(Self.image(800_000), token: token) {
      #expect(await Self.upload(700_000, other, to: api).fields["X-Error"] == "storage_quota")
      let announced = RequestBody(length: RequestLimits.maxBytesBesidePhoto + 700_000, source: UnreadBody())
      #expect(await api.upload(announced, token: other).fields["X-Error"] == "storage_quota")
    }
    #expect(response.status == .ok)
    #expect(await Self.upload(200_000, other, to: api).status == .ok)
  }

  @Test func `an upload that ends without a photo counts no longer, however it ends`() async throws {
    let (api, token) = try await APIFixture.withUser { ($0.userQuota, $0.maxPhotoBytes) = (600_000, 600_000) }
    let whole = MultipartBody.upload(Self.image(500_000), title: "me")
    let cut = PiecesBody(Array(whole.dropLast(1000)), sizes: [65_536], failure: .disconnected)
    #expect(await api.upload(RequestBody(length: nil, source: cut), token: token).status == .badRequest)
    let untitled = MultipartBody.file("image", filename: "a", Self.image(500_000)) + MultipartBody.end
    #expect(await api.upload(RequestBody(untitled), token: token).status == .badRequest)
    #expect(await Self.upload(600_001, token, to: api).status == .contentTooLarge)
    let twice = MultipartBody.file("image", filename: "a", Self.image(500_000)) + whole
    let ended = try await api.signIn()
    let body = HeldBody(twice)
    async let upload = api.upload(RequestBody(length: nil, source: body), token: ended)
    await body.reachesMiddle()
    _ = await api.get("/api/clear_token", as: .holder(of: ended))
    body.goOn()
    #expect(await upload.status == .unauthorized)
    #expect(await Self.upload(600_000, token, to: api).status == .ok)
  }
}
