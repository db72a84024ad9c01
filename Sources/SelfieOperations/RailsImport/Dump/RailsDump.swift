/// A row of the original's table `users`. `ImportPlanner` decides whether it is imported.
package struct RailsUser: Sendable, Equatable {
  /// The line of the dump.
  package let line: Int
  package let id: Int64
  package let firstName: String?
  package let lastName: String?
  package let email: String?
  package let passwordHash: String?
  package let passwordSalt: String?
  /// In clear text, as the original stored it.
  package let token: String?
  /// In Unix milliseconds, like the next two.
  package let tokenExpiry: Int64?
  package let createdAt: Int64?
  package let updatedAt: Int64?
}

/// A row of the original's table `photos`.
package struct RailsPhoto: Sendable, Equatable {
  /// The line of the dump.
  package let line: Int
  package let id: Int64
  package let userID: Int64?
  package let name: String?
  package let title: String?
  package let randomID: String?
  /// Unix milliseconds.
  package let createdAt: Int64?
  package let updatedAt: Int64?
}

/// The users and photos in a dump of the original's database.
package struct RailsDump: Sendable {
  /// In the order of ids: of two users with the same address or token, the original always found the one with the lower
  /// id.
  package private(set) var users: [RailsUser] = []
  /// In the order of ids, which was the order of get_photos.
  package private(set) var photos: [RailsPhoto] = []
  /// The tables that were skipped, in the order of the dump, and their numbers of rows.
  package let skipped: [(table: String, rows: Int)]
  /// Whether the dump has a table `photos`.
  package let hasPhotos: Bool

  /// Reads a whole dump.
  ///
  /// - Parameter read: returns the next bytes; none at the end.
  /// - Throws: `DumpProblems` if anything cannot be understood, or the errors of `read`.
  package init(read: @escaping () throws -> [UInt8]) throws {
    var dump = PostgresDump(wanted: ["users", "photos"], read: read)
    var (users, photos): ([RailsUser], [RailsPhoto]) = ([], [])
    var lines: [String: [Int64: Int]] = [:]
    try dump.forEachRow { row in
      let id = try row.id()
      if let line = lines[row.table, default: [:]].updateValue(row.line, forKey: id) {
        throw DumpProblems(line: row.line, "The id \(id) was already used in line \(line).")
      }
      if row.table == "users" {
        users.append(try RailsUser(row))
      } else {
        photos.append(try RailsPhoto(row))
      }
    }
    if !dump.found.contains("users") && dump.problems.count == 0 {
      dump.add(1, "There are no rows of a table users in the schema public. Make the dump without --schema-only.")
    }
    guard dump.problems.count == 0 else { throw dump.problems }
    self.users = users.sorted { $0.id < $1.id }
    self.photos = photos.sorted { $0.id < $1.id }
    skipped = dump.skipped
    hasPhotos = dump.found.contains("photos")
  }
}

extension RailsUser {
  init(_ row: DumpRow) throws(DumpProblems) {
    try row.require(["id", "email", "password_hash"])
    line = row.line
    id = try row.id()
    firstName = try row.text("first_name")
    lastName = try row.text("last_name")
    email = try row.text("email")
    passwordHash = try row.text("password_hash")
    passwordSalt = try row.text("password_salt")
    token = try row.text("api_authtoken")
    tokenExpiry = try row.milliseconds("authtoken_expiry")
    createdAt = try row.milliseconds("created_at")
    updatedAt = try row.milliseconds("updated_at")
  }
}

extension RailsPhoto {
  init(_ row: DumpRow) throws(DumpProblems) {
    try row.require(["id", "user_id", "title", "random_id"])
    line = row.line
    id = try row.id()
    userID = try row.integer("user_id")
    name = try row.text("name")
    title = try row.text("title")
    randomID = try row.text("random_id")
    createdAt = try row.milliseconds("created_at")
    updatedAt = try row.milliseconds("updated_at")
  }
}
