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

  /// The original's export that is kept with the tests of `RailsImport`.
  static let export = "\(checkout)/Tests/SelfieOperationsTests/RailsImport/Export"

  private func importer(_ dump: String, photos: String?, mostBytes: Int) throws -> Importer {
    var bytes = Array(dump.utf8)
    let rails = try RailsDump {
      defer { bytes = [] }
      return bytes
    }
    return Importer(
      dump: rails, photos: photos ?? bucket.path, storage: api.folder.path, database: api.database,
      pool: api.application.photos.pool, maxPhotoBytes: mostBytes, now: api.clock.now)
  }

  /// What an import would do.
  func plan(_ dump: String, photos: String? = nil, mostBytes: Int = 1_000_000) async throws -> ImportPlan {
    try await importer(dump, photos: photos, mostBytes: mostBytes).plan()
  }

  /// Imports, and returns what that has done.
  @discardableResult
  func run(_ dump: String, photos: String? = nil) async throws -> ImportPlan {
    let importer = try importer(dump, photos: photos, mostBytes: 1_000_000)
    let plan = try await importer.plan()
    try await importer.carryOut(plan, into: api.application.photos) { _, _ in }
    return plan
  }

  /// Why rows are not taken, each with its subject.
  func refusals(_ dump: String) async throws -> [String] {
    try await plan(dump).refusals.map {
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
    """
    INSERT INTO public.users (id, first_name, last_name, email, password_hash, password_salt, api_authtoken, \
    authtoken_expiry, created_at, updated_at) VALUES (\(id), \(sql(firstName)), 'Doe', \(sql(email)), \(sql(hash)), \
    \(sql(salt)), \(sql(token)), \(sql(expiry)), \(sql(hourAgo)), \(sql(updatedAt)));

    """
  }

  static func photo(
    _ id: Int64, of user: Int64?, _ randomID: String?, title: String? = "me", name: String? = "photo",
    createdAt: String? = hourAgo
  ) -> String {
    """
    INSERT INTO public.photos (id, name, title, user_id, created_at, updated_at, random_id) VALUES (\(id), \
    \(sql(name)), \(sql(title)), \(user.map { "\($0)" } ?? "NULL"), \(sql(createdAt)), NULL, \(sql(randomID)));

    """
  }

  private static func sql(_ text: String?) -> String {
    text.map { "'\($0.replacingOccurrences(of: "'", with: "''"))'" } ?? "NULL"
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
        UNION ALL SELECT 'removed ' || random_id FROM removed_photos
        """
      ) { $0.text(0) ?? "" }
    }
  }
}
