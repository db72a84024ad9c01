import Cryptography
import Foundation
import Testing

@testable import SelfieAPI
@testable import SelfieOperations

/// Users, tokens and photos that an import brings over.
@Suite struct ImportTests {
  @Test func `apps stay signed in, and find their photos`() async throws {
    let fixture = try ImportFixture()
    let plan = try await fixture.run(SampleDumps.exportedDump(), photos: "\(SampleDumps.export)/s3")
    #expect(plan.users == ImportPlan.Counts(taken: 2))
    #expect(plan.tokens == ImportPlan.Counts(taken: 2))
    #expect(plan.photos == ImportPlan.Counts(taken: 4))
    #expect(plan.byteCount == 624)
    #expect(plan.refusals.isEmpty)

    let response = await fixture.api.get("/api/get_photos", as: .holder(of: "UeyVQezQOuaOXqLdzWuDq"))
    #expect(
      response.text.hasPrefix(
        """
        [{"id":4,"name":"photo","title":"carol selfie 0 \\"quoted\\" \\u003cb\\u003e",\
        "image_url":"http://selfies.example:3000/photos/mXjIBosZVlkVbtVzISojVOZzSEbmQiEiSGgzMXcVB","user_id":2,\
        "created_at":"2026-11-20T22:24:50.175Z","updated_at":"2026-11-20T22:24:50.175Z",\
        "random_id":"mXjIBosZVlkVbtVzISojVOZzSEbmQiEiSGgzMXcVB"},{"id":5,
        """))
    #expect(response.elements.count == 2)
    for id in response.elements.compactMap({ $0["random_id"] }) {
      let original = try Data(contentsOf: URL(fileURLWithPath: "\(SampleDumps.export)/s3/\(id)"))
      let photo = await fixture.api.get("/photos/\(id)")
      #expect(photo.content == Array(original))
      #expect(photo.fields["Content-Type"] == "image/png")
      let row = try fixture.api.database.read { try $0.first(PhotoStore.photo(randomID: "\(id)"), as: Photo.self) }
      #expect(row?.sha256 == Digest.sha256(Array(original)))
    }
    #expect(try fixture.api.folder.files(in: "incoming").isEmpty)
    #expect(try fixture.api.folder.files(in: "photos").count == 4)

    // With the time of the original's token, which ends with its clock.
    fixture.api.clock.advance(seconds: 86_434)
    #expect(await !fixture.api.isAccepted("UeyVQezQOuaOXqLdzWuDq"))
  }

  @Test func `ids are kept, but not where they are another's`() async throws {
    let fixture = try ImportFixture()
    let token = try await fixture.api.newUser()
    for _ in 0..<2 { _ = try await fixture.api.newPhoto(token: token) }
    let dump =
      ImportFixture.user(1, "one@example.com", token: "one")
      + ImportFixture.user(7, "seven@example.com", token: "seven")
      + ImportFixture.user(1 << 60, "large@example.com")
    let photos = try [(1, "a"), (3, "b"), (9, "c"), (1 << 60, "d")].map {
      ImportFixture.photo($0, of: 1, try fixture.file($1))
    }
    let others = try [(2, "e"), (4, "f")].map { ImportFixture.photo($0, of: 7, try fixture.file($1)) }
    let plan = try await fixture.run(dump + photos.joined() + others.joined())
    #expect(plan.users == ImportPlan.Counts(taken: 3, newIDs: 2))
    #expect(plan.photos == ImportPlan.Counts(taken: 6, newIDs: 6))
    let users = try fixture.rows().filter { $0.hasPrefix("user") }.map {
      $0.split(separator: " ")[1...2].joined(separator: " ")
    }
    #expect(users == ["1 jane@example.com", "7 seven@example.com", "8 one@example.com", "9 large@example.com"])
    // Behind the first that gets a new id, all do, so that a user's photos stay in their order.
    let response = await fixture.api.get("/api/get_photos", as: .holder(of: "one"))
    #expect(response.elements.compactMap { $0["random_id"]?.first } == ["a", "b", "c", "d"])
    let later = try await fixture.run(
      ImportFixture.user(7, "seven@example.com") + ImportFixture.photo(20, of: 7, try fixture.file("g")))
    #expect(later.photos == ImportPlan.Counts(taken: 1))
    #expect(try fixture.rows().contains("photo 20 \(ImportFixture.id("g")) 7 me"))
  }

  @Test func `null is what it was, where there may be null`() async throws {
    let fixture = try ImportFixture()
    try await fixture.run(
      ImportFixture.user(1, "jane@example.com", firstName: nil, token: "t", updatedAt: nil)
        + ImportFixture.photo(1, of: 1, try fixture.file("a"), title: nil, name: nil, createdAt: nil))
    let response = await fixture.api.get("/api/get_photos", as: .holder(of: "t"))
    #expect(response.text.contains(#""name":null,"title":"","#))
    #expect(response.text.contains(#""created_at":"2026-11-20T22:24:16.641Z""#))
  }
}
