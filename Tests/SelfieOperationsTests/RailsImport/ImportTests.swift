import APITestSupport
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

  @Test func `ids are kept`() async throws {
    let fixture = try ImportFixture()
    try await fixture.run(
      ImportFixture.user(7, "seven@example.com") + ImportFixture.user(1 << 53 - 1, "large@example.com")
        + ImportFixture.photo(9, of: 7, try fixture.file("c"))
        + ImportFixture.photo(3, of: 7, try fixture.file("b")))
    #expect(
      try Set(fixture.rows()) == [
        "user 7 seven@example.com 1795209856641", "user 9007199254740991 large@example.com 1795209856641",
        "photo 3 \(ImportFixture.id("b")) 7 me", "photo 9 \(ImportFixture.id("c")) 7 me",
      ])
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

  @Test func `an expired token is counted and not taken`() async throws {
    let fixture = try ImportFixture()
    let plan = try await fixture.run(
      ImportFixture.user(1, "a@b.c", token: "old", expiry: "2026-11-20 22:24:16.641")
        + ImportFixture.user(2, "b@b.c", token: "new", expiry: "2026-11-20 22:24:16.642")
        + ImportFixture.user(3, "c@b.c", token: "timeless", expiry: nil) + ImportFixture.user(4, "d@b.c", token: ""))
    #expect(plan.tokens == ImportPlan.Counts(taken: 1, expired: 2))
    #expect(plan.users.taken == 4)
    #expect(await fixture.api.isAccepted("new"))
    #expect(await !fixture.api.isAccepted("old"))
    #expect(try fixture.rows().filter { $0.hasPrefix("token") } == ["token \(Self.digest("new")) 2 1795213456642"])
  }

  private static func digest(_ token: String) -> String {
    Digest.hex(Token.digest(of: Array(token.utf8))).uppercased()
  }

  @Test func `many photos, in pieces, of any size`() async throws {
    let fixture = try ImportFixture()
    var dump = ImportFixture.user(1, "a@b.c")
    let letters = Array("abcdefghijklmnopqrstuvwxyz")
    for (index, letter) in letters.enumerated() {
      dump += ImportFixture.photo(Int64(index + 1), of: 1, try fixture.file(letter, Samples.bytes(1 + index * 30_000)))
    }
    let plan = try await fixture.run(dump)
    #expect(plan.photos == ImportPlan.Counts(taken: 26))
    for (index, letter) in letters.enumerated() {
      let photo = await fixture.api.get("/photos/\(ImportFixture.id(letter))")
      #expect(photo.content == Samples.bytes(1 + index * 30_000))
    }
  }
}
