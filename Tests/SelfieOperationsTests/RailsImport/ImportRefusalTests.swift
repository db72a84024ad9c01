import APITestSupport
import Foundation
import Testing

@testable import SelfieOperations

/// Rows that an import refuses.
@Suite struct ImportRefusalTests {
  private typealias Rows = ImportFixture
  private static let long = String(repeating: "ü", count: 256)
  private static let fitting = String(repeating: "ü", count: 255)

  @Test(
    arguments: [
      (Rows.user(1 << 53, "a@b.c"), "user 9007199254740992 <a@b.c>: its id is greater than 9007199254740991"),
      (Rows.user(1, nil), "user 1: it has no email address"),
      (Rows.user(1, ""), "user 1: it has no email address"),
      (Rows.user(1, "jane"), "user 1 <jane>: its email address is invalid"),
      (
        Rows.user(1, "a@\(String(repeating: "b", count: 250)).com"),
        "user 1 <a@\(String(repeating: "b", count: 250)).com>: its email address has more than 255 characters"
      ),
      (Rows.user(1, "a@b.c", firstName: long), "user 1 <a@b.c>: its first_name has more than 255 characters"),
      (Rows.user(1, "a@b.c", firstName: fitting), nil),
      (Rows.user(1, "a@b.c", hash: nil), "user 1 <a@b.c>: it has no password"),
      (Rows.user(1, "a@b.c", hash: "secret12"), "user 1 <a@b.c>: its password_hash is not a bcrypt hash"),
      (Rows.user(1, "a@b.c", salt: String(Rows.passwordHash.prefix(29))), nil),
      (
        Rows.user(1, "a@b.c", salt: "$2a$10$/X3h5REJwtmZuGhZrrfoAe"),
        "user 1 <a@b.c>: its password_salt does not match its password_hash"
      ),
      (
        Rows.user(2, "a@b.c") + Rows.user(1, "a@b.c"),
        "user 2 <a@b.c>: line 3 has the same email address, and the Rails backend used that account"
      ),
      // The databases compare the bytes of texts.
      (Rows.user(1, "\u{e9}@b.c") + Rows.user(2, "e\u{301}@b.c"), nil),
      (
        Rows.user(1, "a@b.c", token: "t") + Rows.user(2, "b@b.c", token: "t"),
        "the token of user 2: another user has the same"
      ),
      (
        Rows.user(1, "a@b.c", token: String(repeating: "t", count: 257)),
        "the token of user 1: it has more than 256 bytes"
      ),
    ] as [(String, String?)])
  func `users whom the server could not keep are refused`(_ dump: String, _ refusal: String?) throws {
    #expect(try ImportFixture().refusals(dump) == [refusal].compactMap(\.self))
  }

  @Test(
    arguments: [
      (Rows.photo(1 << 53, of: 1, Rows.id("a")), "photo 9007199254740992: its id is greater than 9007199254740991"),
      (Rows.photo(1, of: 1, nil), "photo 1: its random_id does not have 41 letters"),
      (Rows.photo(1, of: 1, "../" + Rows.id("a").dropFirst(3)), "photo 1: its random_id does not have 41 letters"),
      (Rows.photo(1, of: 1, Rows.id("a") + "a"), "photo 1: its random_id does not have 41 letters"),
      (Rows.photo(1, of: 1, Rows.id("a"), title: long), "photo 1: its title has more than 255 characters"),
      (Rows.photo(1, of: 1, Rows.id("a"), name: long), "photo 1: its name has more than 255 characters"),
      (Rows.photo(1, of: 1, Rows.id("a"), title: fitting), nil),
      (Rows.photo(1, of: nil, Rows.id("a")), "photo 1: it has no user"),
      (Rows.photo(1, of: 5, Rows.id("a")), "photo 1: its user 5 is not in the dump"),
      (Rows.photo(1, of: 2, Rows.id("a")), "photo 1: its user 2 is not imported"),
      (
        Rows.photo(1, of: 1, Rows.id("a")) + Rows.photo(2, of: 1, Rows.id("a")),
        "photo 2: line 6 has the same random_id"
      ),
      (Rows.photo(1, of: 1, Rows.id("x")), "photo 1: there is no file BUCKET/\(Rows.id("x"))"),
      (Rows.photo(1, of: 1, Rows.id("e")), "photo 1: BUCKET/\(Rows.id("e")) is empty"),
      (Rows.photo(1, of: 1, Rows.id("l")), "photo 1: BUCKET/\(Rows.id("l")) is not a plain file"),
      (Rows.photo(1, of: 1, Rows.id("m")), nil),
      (
        Rows.photo(1, of: 1, Rows.id("n")),
        "photo 1: its file has 1000001 bytes, more than MAX_PHOTO_BYTES (1000000) allows"
      ),
    ] as [(String, String?)])
  func `photos that the server could not keep are refused`(_ dump: String, _ refusal: String?) throws {
    let fixture = try ImportFixture()
    _ = try fixture.file("a")
    _ = try fixture.file("e", [])
    for (letter, more): (Character, Int) in [("m", 0), ("n", 1)] {
      _ = try fixture.file(letter, [UInt8](repeating: 7, count: Rows.maxPhotoBytes + more))
    }
    let path = fixture.bucket.path
    try FileManager.default.createSymbolicLink(
      atPath: "\(path)/\(Rows.id("l"))", withDestinationPath: "\(path)/\(Rows.id("a"))")
    let users = Rows.user(1, "a@b.c") + Rows.user(2, "none")
    let refusals = try fixture.refusals(users + dump)
    #expect(refusals == ["user 2 <none>: its email address is invalid"] + [refusal].compactMap(\.self))
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
