import APITestSupport
import HTTPMessages
import SQLite
import Testing

@testable import SelfieAPI

@Suite struct MaxPhotosTests {
  private static func upload(_ title: String, _ token: String, to api: APIFixture) async -> Response {
    await api.upload(RequestBody(MultipartBody.upload(Samples.png, title: title)), token: token)
  }

  @Test func `an account has as many photos as it may have, until it deletes one`() async throws {
    let api = try APIFixture { $0.maxPhotos = 2 }
    let (token, other) = (try await api.newUser(), try await api.newUser("other@example.com"))
    let id = try await api.newPhoto(token: token)
    _ = try await api.newPhoto(token: token)

    let refused = await Self.upload("three", token, to: api)
    #expect(refused.status == .insufficientStorage)
    #expect(refused.message == "An account may have 2 photos. Delete some of them first.")
    #expect(refused.fields["X-Error"] == "too_many_photos")
    #expect(await Self.upload("of another", other, to: api).status == .ok)

    let deleted = await api.send("DELETE", "/api/delete_photo", as: .holder(of: token), ["photo_id": id])
    #expect(deleted.status == .ok)
    #expect(await Self.upload("three", token, to: api).status == .ok)
  }

  @Test func `nothing remains of an upload that is one too many`() async throws {
    let api = try APIFixture { $0.maxPhotos = 1 }
    let token = try await api.newUser()
    let id = try await api.newPhoto(token: token)
    #expect(await Self.upload("two", token, to: api).status == .insufficientStorage)
    api.finishFiling()
    #expect(try api.folder.names(in: "incoming").isEmpty)
    #expect(try api.folder.files(in: "photos").map { String($0.suffix(Photo.idLength)) } == [id])
  }

  @Test func `uploads at the same time do not exceed the limit together`() async throws {
    let api = try APIFixture { $0.maxPhotos = 5 }
    let token = try await api.newUser()
    let statuses = await withTaskGroup { group in
      for number in 0..<20 { group.addTask { await Self.upload("\(number)", token, to: api).status } }
      return await group.reduce(into: [Status]()) { $0.append($1) }
    }
    #expect(statuses.count { $0 == .ok } == 5)
    #expect(statuses.count { $0 == .insufficientStorage } == 15)
    #expect(await api.get("/api/get_photos", as: .holder(of: token)).elements.count == 5)
  }
}
