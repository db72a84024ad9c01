import APITestSupport
import HTTPMessages
import Testing

@testable import SelfieAPI

@Suite struct UploadPhotoTests {
  @Test(arguments: [[1], [1, 2, 3, 70, 5], [7, 65_536], [64 * 1024], [1_000_003]])
  func `however the body is cut, the stored bytes are those that were sent`(_ sizes: [Int]) async throws {
    // One byte at a time is slow; the cuts around the boundaries are what matters there.
    let image = Samples.bytes(sizes.reduce(0, +) < 100 ? 3_000 : 600_000)
    let (api, token) = try await APIFixture.withUser()
    let body = MultipartBody.upload(image, title: "Ünder the \r\n--sea--")
    let response = await api.upload(RequestBody(length: nil, source: PiecesBody(body, sizes: sizes)), token: token)

    #expect(response.status == .ok, "\(response.text)")
    let id = try #require(response.member("random_id"))
    #expect(response.member("title") == "Ünder the \r\n--sea--")
    #expect(response.member("name") == "photo")
    #expect(response.member("image_url") == "http://selfies.example:3000/photos/\(id)")
    #expect(try api.folder.bytes(of: "photos/\(id.prefix(2))/\(id)") == image)
    #expect(await api.get("/photos/\(id)").content == image)
    api.finishFiling()
    #expect(try api.folder.files(in: "incoming").isEmpty)
  }

  @Test func `of two images the last one is kept, and nothing of the first`() async throws {
    let (api, token) = try await APIFixture.withUser()
    let body =
      MultipartBody.file("image", filename: "first", Samples.bytes(400_000))
      + MultipartBody.file("image", filename: "second", Samples.jpeg) + MultipartBody.field("title", "t")
      + MultipartBody.end
    let response = await api.upload(RequestBody(body), token: token)
    let id = try #require(response.member("random_id"), "\(response.text)")
    #expect(response.member("name") == "second")
    #expect(try api.folder.bytes(of: "photos/\(id.prefix(2))/\(id)") == Samples.jpeg)
    #expect(await api.get("/photos/\(id)").fields["Content-Type"] == "image/jpeg")
    #expect(try api.folder.files(in: "photos").count == 1)
    api.finishFiling()
    #expect(try api.folder.files(in: "incoming").isEmpty)
  }

  // MARK: - What is refused before it costs anything

  @Test(arguments: [[0x89, 0x50, 0xff], Samples.bytes(1_600_000)])
  func `an image without a filename is said to be one, whatever its size and bytes`(image: [UInt8]) async throws {
    let (api, token) = try await APIFixture.withUser()
    let body = MultipartBody.field("image", "").dropLast(2) + image + Array("\r\n".utf8) + MultipartBody.end
    let response = await api.upload(RequestBody(body), token: token)
    #expect(response.status == .badRequest)
    #expect(response.message == "image must be a file: its part has no filename in Content-Disposition.")
  }

  @Test func `a body that is announced too large is refused before it is read`() async throws {
    let (api, token) = try await APIFixture.withUser { $0.maxPhotoBytes = 1000 }
    let response = await api.upload(RequestBody(length: 30_000_000, source: UnreadBody()), token: token)
    #expect(response.status == .contentTooLarge)
    #expect(response.message == "The photo is larger than 1000 bytes.")
  }

  @Test func `an expired token stores nothing, not even for a moment`() async throws {
    let (api, token) = try await APIFixture.withUser { $0.tokenLifetime = 60 }
    api.clock.advance(seconds: 60)
    // A file that cannot be created would be noticed.
    try api.folder.replaceByFile("incoming")
    let response = await api.upload(Samples.bytes(600_000), token: token)
    #expect(response.status == .unauthorized)
    #expect(response.message == "Authtoken has expired")
    #expect(response.fields["X-Error"] == "expired_token")
    #expect(try api.folder.files(in: "photos").isEmpty)
    #expect(try api.count("SELECT count(*) FROM photos") == 0)
  }
}
