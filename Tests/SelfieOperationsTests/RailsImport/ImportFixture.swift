import APITestSupport
import Cryptography
import Foundation
import SelfieOperations
import TestSupport
import Testing

@testable import SelfieAPI

/// An API into which dumps are imported, and a folder for the photos of these.
struct ImportFixture {
  let api: APIFixture
  let bucket: TemporaryFolder

  init(api: APIFixture? = nil) throws {
    self.api = try api ?? APIFixture()
    bucket = try TemporaryFolder()
  }

  static let maxPhotoBytes = 1_000_000

  private func importer(_ dump: String, photos: String?) throws -> Importer {
    Importer(
      dump: try RailsDump(dump.hasPrefix("--") ? dump : Self.dump(dump), now: api.clock.now),
      photos: photos ?? bucket.path,
      maxPhotoBytes: Self.maxPhotoBytes, now: api.clock.now)
  }

  /// Returns the plan of an import.
  ///
  /// - Parameter dump: a whole one, or rows that `user` and `photo` made.
  func plan(_ dump: String) throws -> ImportPlan { try importer(dump, photos: nil).plan() }

  /// Imports, and returns what that has done.
  @discardableResult
  func run(_ dump: String, photos: String? = nil) async throws -> ImportPlan {
    try await importer(dump, photos: photos).run(into: .folder(api.database, api.application.photos))
  }

  /// Why rows are not taken, each with its subject.
  func refusals(_ dump: String) throws -> [String] {
    try plan(dump).refusals.map {
      "\($0.subject): \($0.reason)".replacingOccurrences(of: bucket.path, with: "BUCKET")
    }
  }

  // MARK: - Rows of a dump

  /// Of `APIFixture.password`.
  static let passwordHash = (try? PasswordHash.make(Array(APIFixture.password.utf8), cost: 4)) ?? ""

  /// Times of dumps: an hour before the clock of the tests, and a day after that.
  static let hourAgo = "2026-11-20 21:24:16.641"
  static let tomorrow = "2026-11-21 21:24:16.641"

  static func user(
    _ id: Int64, _ email: String?, firstName: String? = "Jane", hash: String? = passwordHash, salt: String? = nil,
    token: String? = nil, expiry: String? = tomorrow, updatedAt: String? = hourAgo
  ) -> String {
    row("users", ["\(id)", firstName, "Doe", email, hash, salt, token, expiry, hourAgo, updatedAt])
  }

  static func photo(
    _ id: Int64, of user: Int64?, _ randomID: String?, title: String? = "me", name: String? = "photo",
    createdAt: String? = hourAgo
  ) -> String {
    row("photos", ["\(id)", name, title, user.map(String.init), createdAt, nil, randomID])
  }

  private static func row(_ table: String, _ values: [String?]) -> String {
    "\(table):" + values.map { $0 ?? "\\N" }.joined(separator: "\t") + "\n"
  }

  /// A dump of rows that `user` and `photo` made. The first user is in line 2.
  private static func dump(_ rows: String) -> String {
    let rows = rows.split(separator: "\n")
    return [
      "users:(id, first_name, last_name, email, password_hash, password_salt, api_authtoken, authtoken_expiry, "
        + "created_at, updated_at)", "photos:(id, name, title, user_id, created_at, updated_at, random_id)",
    ].map { header in
      let parts = header.split(separator: ":")
      let own = rows.filter { $0.hasPrefix("\(parts[0]):") }.map { $0.dropFirst(parts[0].count + 1) }
      return (["COPY public.\(parts[0]) \(parts[1]) FROM stdin;"] + own + ["\\.\n"]).joined(separator: "\n")
    }.joined()
  }

  /// An id of a photo: the letter over and over.
  static func id(_ letter: Character) -> String { String(repeating: letter, count: Photo.idLength) }

  /// Puts a file into the bucket, and returns its id.
  func file(_ letter: Character, _ bytes: [UInt8] = Samples.png) throws -> String {
    let id = Self.id(letter)
    try bucket.write(bytes, to: id)
    return id
  }

  /// Every row, as text.
  func rows() throws -> [String] {
    try api.database.read { connection in
      try connection.query(
        """
        SELECT 'user ' || id || ' ' || email || ' ' || updated_at FROM users
        UNION ALL SELECT 'token ' || hex(digest) || ' ' || user_id || ' ' || expires_at FROM tokens
        UNION ALL SELECT 'photo ' || id || ' ' || random_id || ' ' || user_id || ' ' || title FROM photos
        """
      ) { $0.text(0) ?? "" }
    }
  }
}
