import APITestSupport
import HTTPMessages
import Testing

@testable import SelfieAPI

/// What the quotas count before it is a photo.
@Suite(.eachDatabase) struct UnfinishedUploadsTests {
  private static func image(_ byteCount: Int) -> [UInt8] { [UInt8](repeating: 7, count: byteCount) }

  private static func upload(_ byteCount: Int, _ token: String, to api: APIFixture) async -> Response {
    await api.upload(image(byteCount), token: token)
  }

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
