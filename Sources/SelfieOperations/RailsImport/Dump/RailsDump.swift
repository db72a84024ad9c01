package import SelfieAPI

// The original's users and photos. `PostgresDump` finds the rows, and `ImportPlan` chooses those to import.

/// A row of the original's table `users`.
package struct RailsUser: Sendable, Equatable {
  /// The line of the dump.
  package let line: Int
  /// Its email address and its hash are empty where they were NULL.
  package let user: User
  package let passwordSalt: String?
  /// In clear text, as the original stored it.
  package let token: String?
  /// In Unix milliseconds.
  package let tokenExpiry: Int64?
}

/// A row of the original's table `photos`.
package struct RailsPhoto: Sendable {
  /// The line of the dump.
  package let line: Int
  /// The texts are empty, and the user's id is 0, where they were NULL.
  package let photo: Photo
}

/// The users and photos in a dump of the original's database.
package struct RailsDump: Sendable {
  /// In the order of ids: of two users with the same address or token, the original always found the one with the lower
  /// id.
  package private(set) var users: [RailsUser] = []
  /// In the order of ids, which was the order of get_photos.
  package private(set) var photos: [RailsPhoto] = []
  /// In the order of the dump.
  package let skipped: [SkippedTable]
  /// Whether the dump has a table `photos`.
  package let hasPhotos: Bool

  /// Reads a whole dump.
  ///
  /// - Parameters:
  ///   - now: in Unix milliseconds, for rows without times.
  ///   - read: returns the next bytes; none at the end.
  /// - Throws: `DumpProblems` if anything cannot be understood, or the errors of `read`.
  package init(now: Int64, read: @escaping () throws -> [UInt8]) throws {
    var dump = PostgresDump(wanted: ["users", "photos"], read: read)
    var users: [RailsUser] = []
    var photos: [RailsPhoto] = []
    var lines: [String: [Int64: Int]] = [:]
    try dump.forEachRow { row in
      let id = try row.id()
      if let line = lines[row.table, default: [:]].updateValue(row.line, forKey: id) {
        throw DumpProblems(line: row.line, "The id \(id) was already used in line \(line).")
      }
      if row.table == "users" {
        users.append(try RailsUser(row, now: now))
      } else {
        photos.append(RailsPhoto(line: row.line, photo: try Photo(row, now: now)))
      }
    }
    if !dump.found.contains("users") && dump.problems.count == 0 {
      dump.add(1, "There are no rows of a table users in the schema public. Make the dump without --schema-only.")
    }
    guard dump.problems.count == 0 else { throw dump.problems }
    self.users = users.sorted { $0.user.id < $1.user.id }
    self.photos = photos.sorted { $0.photo.id < $1.photo.id }
    skipped = dump.skipped
    hasPhotos = dump.found.contains("photos")
  }
}

extension RailsUser {
  fileprivate init(_ row: DumpRow, now: Int64) throws(DumpProblems) {
    try row.require(["id", "email", "password_hash"])
    let times = try row.times(now: now)
    line = row.line
    user = User(
      id: try row.id(), email: try row.text("email") ?? "", firstName: try row.text("first_name"),
      lastName: try row.text("last_name"), passwordHash: try row.text("password_hash") ?? "",
      createdAt: times.createdAt, updatedAt: times.updatedAt)
    passwordSalt = try row.text("password_salt")
    token = try row.text("api_authtoken")
    tokenExpiry = try row.milliseconds("authtoken_expiry")
  }
}

extension Photo {
  fileprivate init(_ row: DumpRow, now: Int64) throws(DumpProblems) {
    try row.require(["id", "user_id", "title", "random_id"])
    let times = try row.times(now: now)
    self.init(
      id: try row.id(), randomID: try row.text("random_id") ?? "", userID: try row.integer("user_id") ?? 0,
      name: try row.text("name"), title: try row.text("title") ?? "", byteCount: 0, contentType: "",
      createdAt: times.createdAt, updatedAt: times.updatedAt)
  }
}
