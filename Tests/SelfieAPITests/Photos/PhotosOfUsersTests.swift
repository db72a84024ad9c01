import APITestSupport
import HTTPMessages
import Testing

@testable import SelfieAPI

/// Photos belong to their users.
@Suite struct PhotosOfUsersTests {
  @Test func `each user sees only their own photos, oldest first`() async throws {
    let (api, jane) = try await APIFixture.withUser()
    let john = try await api.newUser("john@example.com")
    let first = try await api.newPhoto(title: "one", token: jane)
    let other = try await api.newPhoto(title: "his", token: john)
    api.clock.advance(milliseconds: -1)
    let second = try await api.newPhoto(title: "two", token: jane)

    let janes = await api.get("/api/get_photos", as: .holder(of: jane)).elements
    #expect(janes.map { $0["random_id"] } == [first, second])
    #expect(janes.map { $0["title"] } == ["one", "two"])
    #expect(janes.map { $0["created_at"] } == ["2026-11-20T22:24:16.641Z", "2026-11-20T22:24:16.640Z"])
    #expect(janes.map { $0["image_url"] } == [first, second].map { "http://selfies.example:3000/photos/\($0)" })
    let johns = await api.get("/api/get_photos", as: .holder(of: john)).elements
    #expect(johns.map { $0["random_id"] } == [other])
  }

  @Test func `another user's photo cannot be deleted, and the response does not tell it from one that is not there`()
    async throws
  {
    let (api, jane) = try await APIFixture.withUser()
    let john = try await api.newUser("john@example.com")
    let photo = try await api.newPhoto(token: jane)
    let missing = String(repeating: "a", count: Photo.idLength)

    for answer in [await api.deletePhoto(photo, token: john), await api.deletePhoto(missing, token: john)] {
      #expect(answer.status == .unauthorized)
      #expect(answer.message == "Invalid Photo ID or You don't have permission to delete this photo!")
      #expect(answer.fields["X-Error"] == "unknown_photo")
    }
    #expect(await api.get("/photos/\(photo)").content == Samples.png)
  }

  @Test(arguments: [
    ("https://selfies.example/app", false, "https://selfies.example/app"), (nil, true, "https://selfies.example:3000"),
  ])
  func `PUBLIC_URL begins the addresses of photos, whatever Host says, and without it the scheme is the server's`(
    publicURL: String?, usesTLS: Bool, beginning: String
  ) async throws {
    let (api, jane) = try await APIFixture.withUser { ($0.publicURL, $0.usesTLS) = (publicURL, usesTLS) }
    let photo = try await api.newPhoto(token: jane)
    let addresses = await api.get("/api/get_photos", as: .holder(of: jane)).elements.map { $0["image_url"] }
    #expect(addresses == ["\(beginning)/photos/\(photo)"])
  }

  @Test(arguments: ["[fe80::1%en0]:3000", "[fe80::1%25en0]:3000", "[fe80::1]:3000"])
  func `the address of a photo has no zone`(host: String) async throws {
    let (api, jane) = try await APIFixture.withUser()
    let photo = try await api.newPhoto(token: jane)
    let request = Request(
      "GET", "/api/get_photos", fields: [("Host", host)] + APIFixture.Caller.holder(of: jane).fields)
    let addresses = await api.application.respond(request).elements.map { $0["image_url"] }
    #expect(addresses == ["http://[fe80::1]:3000/photos/\(photo)"])
  }
}
