import APITestSupport
import Cryptography
import Foundation
import Platform
import SQLite
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

/// Imports into storages that are not empty, or that are interrupted.
@Suite struct UnfinishedImportTests {
  private typealias Rows = ImportFixture

  private let fixture: ImportFixture

  init() throws {
    fixture = try ImportFixture()
  }

  @Test func `a storage that has users is refused, and stays as it is`() async throws {
    let dump = try dump()
    try await fixture.api.signUp("john@example.com")
    let (rows, files) = (try fixture.rows(), try fixture.api.folder.files(in: "photos"))
    let error = await #expect(throws: OperationError.self) { try await fixture.run(dump) }
    #expect(error?.description.hasPrefix("The storage has 1 user already, and an import needs an empty one.") == true)
    #expect(try fixture.rows() == rows && fixture.api.folder.files(in: "photos") == files)
  }

  /// Rows of which each kind can be kept from being written.
  private func dump() throws -> String {
    try Rows.user(1, "a@b.c", token: "t") + Rows.photo(1, of: 1, fixture.file("a"))
      + Rows.photo(2, of: 1, fixture.file("b", Samples.jpeg))
  }

  @Test(arguments: ["users", "tokens", "photos"])
  func `all rows or none`(_ table: String) async throws {
    let dump = try dump()
    try await fixture.api.database.write { connection in
      try connection.execute("CREATE TRIGGER no BEFORE INSERT ON \(table) BEGIN SELECT RAISE(ABORT, 'no'); END")
    }
    await #expect(throws: SQLiteError.self) { try await fixture.run(dump) }
    #expect(try fixture.rows().isEmpty)

    try await fixture.api.database.write { try $0.execute("DROP TRIGGER no") }
    try await expectWhole(dump)
  }

  @Test(arguments: [false, true])
  func `an import that was interrupted is completed by the next`(hasFile: Bool) async throws {
    let dump = try dump()
    if hasFile {
      let photo = Photo(
        randomID: Rows.id("a"), userID: 1, name: nil, title: "", byteCount: 0, contentType: "", createdAt: 0)
      _ = try fixture.api.application.photos.files.place(
        photo, copiedFrom: PlainFile(ofPhoto: Rows.id("a"), in: fixture.bucket.path))
      #expect(try fixture.api.folder.files(in: "photos").count == 1)
    } else {
      try fixture.api.folder.write(Array(Samples.png.prefix(9)), to: "incoming/\(Rows.id("a"))")
    }
    try await expectWhole(dump)
  }

  /// After a new start and one more import, everything is there and nothing else.
  private func expectWhole(_ dump: String) async throws {
    let next = try ImportFixture(api: APIFixture(after: fixture.api))
    #expect(try next.api.folder.files(in: "incoming").isEmpty)
    try await next.run(dump, photos: fixture.bucket.path)
    #expect(try next.rows().count == 4)
    #expect(try next.api.folder.files(in: "photos").count == 2)
    #expect(try next.api.folder.files(in: "incoming").isEmpty)
    #expect(await next.api.get("/photos/\(Rows.id("a"))").content == Samples.png)
    #expect(await next.api.get("/photos/\(Rows.id("b"))").content == Samples.jpeg)
    #expect(await next.api.isAccepted("t"))
  }
}

/// Rows that an import refuses.
@Suite struct ImportRefusalTests {
  private typealias Rows = ImportFixture
  private static let long = String(repeating: "ü", count: 256)
  private static let fitting = String(repeating: "ü", count: 255)

  /// Rows, and the end of the reason why the last one is refused; nil if it is not.
  @Test(
    arguments: [
      (Rows.user(1 << 53, "a@b.c"), "user 9007199254740992 <a@b.c>: its id is greater than 9007199254740991"),
      (Rows.user(1, nil), "user 1: it has no email address"), (Rows.user(1, ""), "user 1: it has no email address"),
      (Rows.user(1, "jane"), "user 1 <jane>: its email address is invalid"),
      (Rows.user(1, "a@\(String(repeating: "b", count: 250)).com"), "its email address has more than 255 characters"),
      (Rows.user(1, "a@b.c", firstName: long), "user 1 <a@b.c>: its first_name has more than 255 characters"),
      (Rows.user(1, "a@b.c", firstName: fitting), nil), (Rows.user(1, "a@b.c", hash: nil), "it has no password"),
      (Rows.user(1, "a@b.c", hash: "secret12"), "its password_hash is not a bcrypt hash"),
      (
        Rows.user(1, "a@b.c", hash: "$2a$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
        "its password_hash has the bcrypt cost 31, but the highest is 16"
      ),
      (Rows.user(1, "a@b.c", salt: String(Rows.passwordHash.prefix(29))), nil),
      (
        Rows.user(1, "a@b.c", salt: "$2a$10$/X3h5REJwtmZuGhZrrfoAe"),
        "its password_salt does not match its password_hash"
      ),
      (Rows.user(2, "a@b.c") + Rows.user(1, "a@b.c"), "and the Rails backend used that account"),
      // The databases compare the bytes of texts.
      (Rows.user(1, "\u{e9}@b.c") + Rows.user(2, "e\u{301}@b.c"), nil),
      (
        Rows.user(1, "a@b.c", token: "t") + Rows.user(2, "b@b.c", token: "t"),
        "token of user 2: another user has the same"
      ),
      (Rows.user(1, "a@b.c", token: String(repeating: "t", count: 257)), "token of user 1: it has more than 256 bytes"),
    ] as [(String, String?)])
  func `users whom the server could not keep are refused`(_ dump: String, _ refusal: String?) throws {
    let refusals = try ImportFixture().refusals(dump)
    #expect(
      refusals.count == (refusal == nil ? 0 : 1) && refusals.last?.hasSuffix(refusal ?? "") != false, "\(refusals)")
  }

  @Test(
    arguments: [
      (Rows.photo(1 << 53, of: 1, Rows.id("a")), "photo 9007199254740992: its id is greater than 9007199254740991"),
      (Rows.photo(1, of: 1, nil), "photo 1: its random_id does not have 41 letters"),
      (Rows.photo(1, of: 1, "../" + Rows.id("a").dropFirst(3)), "its random_id does not have 41 letters"),
      (Rows.photo(1, of: 1, Rows.id("a") + "a"), "its random_id does not have 41 letters"),
      (Rows.photo(1, of: 1, Rows.id("a"), title: long), "its title has more than 255 characters"),
      (Rows.photo(1, of: 1, Rows.id("a"), name: long), "its name has more than 255 characters"),
      (Rows.photo(1, of: 1, Rows.id("a"), title: fitting), nil),
      (Rows.photo(1, of: nil, Rows.id("a")), "it has no user"),
      (Rows.photo(1, of: 5, Rows.id("a")), "its user 5 is not in the dump"),
      (Rows.photo(1, of: 2, Rows.id("a")), "its user 2 is not imported"),
      (Rows.photo(1, of: 1, Rows.id("a")) + Rows.photo(2, of: 1, Rows.id("a")), "line 6 has the same random_id"),
      (Rows.photo(1, of: 1, Rows.id("x")), "photo 1: BUCKET/\(Rows.id("x")) cannot be read: No such file or directory"),
      (Rows.photo(1, of: 1, Rows.id("e")), "BUCKET/\(Rows.id("e")) is empty"),
      (Rows.photo(1, of: 1, Rows.id("l")), "BUCKET/\(Rows.id("l")) cannot be read: Not a plain file"),
      (Rows.photo(1, of: 1, Rows.id("m")), nil),
      (Rows.photo(1, of: 1, Rows.id("n")), "its file has 1000001 bytes, more than MAX_PHOTO_BYTES (1000000) allows"),
    ] as [(String, String?)])
  func `photos that the server could not keep are refused`(_ dump: String, _ refusal: String?) throws {
    let fixture = try ImportFixture()
    for (letter, count) in [("a", 1), ("e", 0), ("m", Rows.maxPhotoBytes), ("n", Rows.maxPhotoBytes + 1)] {
      _ = try fixture.file(Character(letter), [UInt8](repeating: 7, count: count))
    }
    let path = fixture.bucket.path
    try FileManager.default.createSymbolicLink(
      atPath: "\(path)/\(Rows.id("l"))", withDestinationPath: "\(path)/\(Rows.id("a"))")
    let refusals = try fixture.refusals(Rows.user(1, "a@b.c") + Rows.user(2, "none") + dump)
    #expect(refusals[0] == "user 2 <none>: its email address is invalid")
    #expect(refusals.count == (refusal == nil ? 1 : 2) && refusals[1...].allSatisfy { $0.hasSuffix(refusal ?? "") })
  }

  @Test func `what is refused keeps nothing else out`() async throws {
    let fixture = try ImportFixture()
    let plan = try await fixture.run(
      Rows.user(1, "none") + Rows.user(2, "a@b.c") + Rows.photo(1, of: 2, try fixture.file("a"))
        + Rows.photo(2, of: 2, Rows.id("b")))
    #expect(plan.refusals.map(\.line) == [2, 7])
    #expect(plan.users == ImportPlan.Counts(taken: 1, refused: 1))
    #expect(plan.photos == ImportPlan.Counts(taken: 1, refused: 1))
  }
}
