import APITestSupport
import Cryptography
import Platform
import SQLite
import Testing

@testable import SelfieAPI
@testable import SelfieOperations

/// Tokens of an import, and imports that are repeated.
@Suite struct ImportAgainTests {
  private typealias Rows = ImportFixture

  private let fixture: ImportFixture

  init() throws {
    fixture = try ImportFixture()
  }

  @Test func `an expired token is counted and not taken`() async throws {
    let plan = try await fixture.run(
      Rows.user(1, "a@b.c", token: "old", expiry: "2026-11-20 22:24:16.641")
        + Rows.user(2, "b@b.c", token: "new", expiry: "2026-11-20 22:24:16.642")
        + Rows.user(3, "c@b.c", token: "timeless", expiry: nil) + Rows.user(4, "d@b.c", token: ""))
    #expect(plan.tokens == ImportPlan.Counts(taken: 1, expired: 2))
    #expect(plan.users.taken == 4)
    #expect(await fixture.api.isAccepted("new"))
    #expect(await !fixture.api.isAccepted("old"))
    #expect(try fixture.rows().filter { $0.hasPrefix("token") } == ["token \(Self.digest("new")) 2 1795213456642"])
  }

  private static func digest(_ token: String) -> String {
    Digest.hex(Token.digest(of: Array(token.utf8))).uppercased()
  }

  @Test func `a token that was ended here stays so, and a newer dump brings newer ones`() async throws {
    let first = Rows.user(1, "a@b.c", token: "first")
    try await fixture.run(first)
    #expect(await fixture.api.get("/api/clear_token", as: .holder(of: "first")).status == .ok)
    let again = try await fixture.run(first)
    #expect(again.tokens == ImportPlan.Counts(ended: 1))
    #expect(await !fixture.api.isAccepted("first"))

    let second = Rows.user(1, "a@b.c", token: "second", updatedAt: "2026-11-20 22:00:00")
    #expect(try await fixture.run(second).tokens == ImportPlan.Counts(taken: 1))
    #expect(await fixture.api.isAccepted("second"))
    #expect(try await fixture.run(second).tokens == ImportPlan.Counts(alreadyThere: 1))
    #expect(try await fixture.run(first).tokens == ImportPlan.Counts(ended: 1))
    #expect(await !fixture.api.isAccepted("first"))
  }

  @Test func `after a new password nothing of the old one comes back`() async throws {
    let dump = Rows.user(1, "a@b.c", token: "t")
    try await fixture.run(dump)
    let response = await fixture.api.send(
      "POST", "/api/reset_password", as: .holder(of: "t"),
      ["old_password": APIFixture.encrypt(APIFixture.password), "new_password": APIFixture.encrypt("secret34")])
    #expect(response.status == .ok)
    let plan = try await fixture.run(dump)
    #expect(plan.users == ImportPlan.Counts(refused: 1))
    #expect(plan.tokens == ImportPlan.Counts())
    #expect(await !fixture.api.isAccepted("t"))
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

  /// The moment at which an import was interrupted.
  enum Instant: CaseIterable {
    case inFile, betweenFilesAndRows, afterRows
  }

  @Test(arguments: Instant.allCases)
  func `an import that was interrupted is completed by the next`(after instant: Instant) async throws {
    let dump = try dump()
    switch instant {
    case .inFile: try fixture.api.folder.write(Array(Samples.png.prefix(9)), to: "incoming/\(Rows.id("a"))")
    case .betweenFilesAndRows:
      let photo = Photo(
        randomID: Rows.id("a"), userID: 1, name: nil, title: "", byteCount: 0, contentType: "", createdAt: 0)
      _ = try fixture.api.application.photos.files.place(
        photo, copiedFrom: PlainFile(ofPhoto: Rows.id("a"), in: fixture.bucket.path))
      #expect(try fixture.api.folder.files(in: "photos").count == 1)
    case .afterRows:
      try await fixture.run(dump)
      for id in [Rows.id("a"), Rows.id("b")] {
        try fixture.api.folder.link("photos/\(id.prefix(2))/\(id)", to: "incoming/\(id)")
      }
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

  @Test func `a photo that was deleted here comes back whole`() async throws {
    let dump = try dump()
    try await fixture.run(dump)
    let id = Rows.id("a")
    #expect(
      await fixture.api.send("DELETE", "/api/delete_photo", as: .holder(of: "t"), ["photo_id": id]).status == .ok)
    #expect(try fixture.rows().contains("removed \(id)"))
    let plan = try await fixture.run(dump)
    #expect(plan.photos == ImportPlan.Counts(taken: 1, alreadyThere: 1))
    try await fixture.api.application.prune()
    #expect(await fixture.api.get("/photos/\(id)").content == Samples.png)
  }

  @Test func `many photos, in pieces, of any size`() async throws {
    var dump = Rows.user(1, "a@b.c")
    let letters = Array("abcdefghijklmnopqrstuvwxyz")
    for (index, letter) in letters.enumerated() {
      dump += Rows.photo(Int64(index + 1), of: 1, try fixture.file(letter, Samples.bytes(1 + index * 30_000)))
    }
    let plan = try await fixture.run(dump)
    #expect(plan.photos == ImportPlan.Counts(taken: 26))
    for (index, letter) in letters.enumerated() {
      let photo = await fixture.api.get("/photos/\(Rows.id(letter))")
      #expect(photo.content == Samples.bytes(1 + index * 30_000))
    }
    #expect(try await fixture.plan(dump).photos == ImportPlan.Counts(alreadyThere: 26))
  }
}
