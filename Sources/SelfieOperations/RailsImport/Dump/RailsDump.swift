/// A row of the original's table `users`.
public struct RailsUser: Sendable, Equatable {
  /// The line of the dump.
  public let line: Int
  public let id: Int64
  public let firstName: String?
  public let lastName: String?
  public let email: String?
  public let passwordHash: String?
  public let passwordSalt: String?
  /// In clear text, as the original stored it.
  public let token: String?
  /// In Unix milliseconds, like the next two.
  public let tokenExpiry: Int64?
  public let createdAt: Int64?
  public let updatedAt: Int64?
}

/// A row of the original's table `photos`.
public struct RailsPhoto: Sendable, Equatable {
  /// The line of the dump.
  public let line: Int
  public let id: Int64
  public let userID: Int64?
  public let name: String?
  public let title: String?
  public let randomID: String?
  /// Unix milliseconds.
  public let createdAt: Int64?
  public let updatedAt: Int64?
}

/// The users and photos in a dump of the original's database.
public struct RailsDump: Sendable {
  /// The limit for each table. The rows are held in memory and take some hundred bytes each.
  public static let maxRows = 1_000_000

  /// In the order of ids: of two users with the same address or token, the original always found the one with the lower
  /// id.
  public private(set) var users: [RailsUser] = []
  /// In the order of ids, which was the order of get_photos.
  public private(set) var photos: [RailsPhoto] = []
  public private(set) var skipped = SkippedTables()
  /// Whether the dump has a table `photos`.
  public private(set) var hasPhotos = false

  /// Reads a whole dump.
  ///
  /// - Parameter read: returns the next bytes; none at the end. - Throws: `DumpProblems` if anything cannot be
  /// understood, or the errors of `read`.
  public init(read: @escaping () throws -> [UInt8]) throws {
    var dump = PostgresDump(wanted: ["users", "photos"], read: read)
    var ids = RowIDs()
    try dump.forEachRow { row in
      let count = row.table == "users" ? users.count : photos.count
      guard count < Self.maxRows else {
        throw DumpProblem(
          line: row.line, "There are more than \(Self.maxRows) rows in \(row.table).", endsReading: true)
      }
      if row.table == "users" {
        users.append(try RailsUser(row))
      } else {
        photos.append(try RailsPhoto(row))
      }
      try ids.add(row)
    }
    if !dump.found.contains("users") && dump.problems.count == 0 {
      dump.add(DumpProblem(line: dump.scanner.lineNumber, "There is no table users in the schema public of this dump."))
    }
    guard dump.problems.count == 0 else { throw dump.problems }
    users.sort { $0.id < $1.id }
    photos.sort { $0.id < $1.id }
    skipped = dump.skipped
    hasPhotos = dump.found.contains("photos")
  }

  /// The ids that were read so far. Two rows of a table have the same id only if the dump is of more than one database.
  private struct RowIDs {
    private var lines: [String: [Int64: Int]] = [:]

    mutating func add(_ row: DumpRow) throws(DumpProblem) {
      let id = try row.id()
      if let line = lines[row.table, default: [:]].updateValue(row.line, forKey: id) {
        throw DumpProblem(line: row.line, "The id \(id) is that of line \(line), too.")
      }
    }
  }
}

extension RailsUser {
  init(_ row: DumpRow) throws(DumpProblem) {
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
  init(_ row: DumpRow) throws(DumpProblem) {
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

extension DumpRow {
  fileprivate func require(_ names: [String]) throws(DumpProblem) {
    for name in names where columns.position(of: name) == nil {
      throw DumpProblem(line: line, "The table \(table) has no column \(name).")
    }
  }

  fileprivate func id() throws(DumpProblem) -> Int64 {
    guard let id = try integer("id"), id > 0 else {
      throw DumpProblem(line: line, "The id is not a whole number above 0.")
    }
    return id
  }

  fileprivate func integer(_ column: String) throws(DumpProblem) -> Int64? {
    guard let bytes = self[column] else { return nil }
    guard let number = Int64(String(decoding: bytes, as: UTF8.self)) else {
      throw DumpProblem(line: line, "\(column) is not a whole number.")
    }
    return number
  }

  fileprivate func text(_ column: String) throws(DumpProblem) -> String? {
    guard let bytes = self[column] else { return nil }
    guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
      throw DumpProblem(line: line, "\(column) is not a text in UTF-8.")
    }
    return text
  }

  fileprivate func milliseconds(_ column: String) throws(DumpProblem) -> Int64? {
    guard let bytes = self[column] else { return nil }
    guard let milliseconds = PostgresTimestamp.milliseconds(bytes) else {
      throw DumpProblem(line: line, "\(column) is not a time such as 2014-09-01 12:34:56.789012.")
    }
    return milliseconds
  }
}
