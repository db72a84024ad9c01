import APITestSupport
import HTTPMessages
import Platform
import Testing

@testable import SelfieAPI

/// Photos belong to their users.
@Suite struct PhotosOfUsersTests {
  @Test func `each user sees only their own photos, oldest first`() async throws {
    let api = try APIFixture()
    let jane = try await api.newUser()
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
    let api = try APIFixture()
    let jane = try await api.newUser()
    let john = try await api.newUser("john@example.com")
    let photo = try await api.newPhoto(token: jane)
    let missing = String(repeating: "a", count: Photo.idLength)

    let answers = [
      await api.send("DELETE", "/api/delete_photo", as: .holder(of: john), ["photo_id": photo]),
      await api.send("DELETE", "/api/delete_photo", as: .holder(of: john), ["photo_id": missing]),
    ]
    for answer in answers {
      #expect(answer.status == .unauthorized)
      #expect(answer.message == "Invalid Photo ID or You don't have permission to delete this photo!")
      #expect(answer.fields["X-Error"] == "unknown_photo")
    }
    #expect(await api.get("/photos/\(photo)").content == Samples.png)
  }

  @Test func `deleting removes row and file, once`() async throws {
    let api = try APIFixture()
    let jane = try await api.newUser()
    let photo = try await api.newPhoto(token: jane)
    let other = try await api.newPhoto(token: jane)

    let answer = await api.send("DELETE", "/api/delete_photo", as: .holder(of: jane), ["photo_id": photo])
    #expect(answer.message == "Image deleted")
    #expect(try api.folder.files(in: "photos") == ["\(other.prefix(2))/\(other)"])
    #expect(await api.get("/photos/\(photo)").status == .notFound)
    let again = await api.send("DELETE", "/api/delete_photo", as: .holder(of: jane), ["photo_id": photo])
    #expect(again.status == .unauthorized)
  }

  @Test func `a photo whose file is lost is not found, and can still be deleted`() async throws {
    let api = try APIFixture()
    let jane = try await api.newUser()
    let photo = try await api.newPhoto(token: jane)
    try FileSystem.remove("\(api.folder.path)/photos/\(photo.prefix(2))/\(photo)")

    #expect(await api.get("/photos/\(photo)").status == .notFound)
    let answer = await api.send("DELETE", "/api/delete_photo", as: .holder(of: jane), ["photo_id": photo])
    #expect(answer.status == .ok)
  }

  @Test func `PUBLIC_URL begins the addresses of photos, whatever Host says`() async throws {
    let api = try APIFixture { $0.publicURL = "https://selfies.example/app" }
    let jane = try await api.newUser()
    let photo = try await api.newPhoto(token: jane)
    let addresses = await api.get("/api/get_photos", as: .holder(of: jane)).elements.map { $0["image_url"] }
    #expect(addresses == ["https://selfies.example/app/photos/\(photo)"])
  }
}
