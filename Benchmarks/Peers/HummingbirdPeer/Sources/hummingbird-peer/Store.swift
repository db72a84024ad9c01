import Foundation
import GRDB
import Hummingbird

/// A photo as get_photos lists it.
struct Photo: Codable, FetchableRecord, ResponseEncodable {
  let id: Int64
  let name: String
  let title: String
  let image_url: String
  let user_id: Int64
  let created_at: String
  let updated_at: String
  let random_id: String
}

/// The database: users with a token each, and their photos.
struct Store: Sendable {
  private let pool: DatabasePool

  /// An empty database with one user, whose token is "peer", and three photos.
  init(folder: String, port: Int) throws {
    let path = "\(folder)/peer.sqlite"
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    var configuration = Configuration()
    // As durable as selfie-server.
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    pool = try DatabasePool(path: path, configuration: configuration)
    try pool.write { database in
      try database.execute(sql: Self.schema)
      for number in 1...3 { try Self.insert("seed\(number)", port: port, userID: 1, database) }
    }
  }

  /// The photos of the token's user; nil if the token is unknown.
  ///
  /// Both queries are in one read, with cached statements. It does not suspend, because 64 of GRDB's asynchronous reads
  /// at once stopped this whole server on two cores.
  func photos(token: String) throws -> [Photo]? {
    try pool.read { database in
      guard let userID = try Self.userID(token: token, database) else { return nil }
      let statement = try database.cachedStatement(sql: "SELECT * FROM photos WHERE user_id = ? ORDER BY id")
      return try Photo.fetchAll(statement, arguments: [userID])
    }
  }

  func userID(token: String) throws -> Int64? {
    try pool.read { try Self.userID(token: token, $0) }
  }

  func insert(_ randomID: String, port: Int, userID: Int64) async throws -> Photo? {
    try await pool.write { database in
      try Self.insert(randomID, port: port, userID: userID, database)
      return try Photo.fetchOne(database, sql: "SELECT * FROM photos WHERE random_id = ?", arguments: [randomID])
    }
  }

  private static func userID(token: String, _ database: GRDB.Database) throws -> Int64? {
    let statement = try database.cachedStatement(sql: "SELECT id FROM users WHERE token = ? AND expires_at > ?")
    return try Int64.fetchOne(statement, arguments: [token, Int64(Date().timeIntervalSince1970)])
  }

  private static func insert(_ randomID: String, port: Int, userID: Int64, _ database: GRDB.Database) throws {
    let now = Date().ISO8601Format(.iso8601(timeZone: .gmt, includingFractionalSeconds: true))
    try database.execute(
      sql: """
        INSERT INTO photos (random_id, user_id, name, title, image_url, created_at, updated_at)
        VALUES (?, ?, 'photo', 'a selfie', ?, ?, ?)
        """,
      arguments: [randomID, userID, "http://127.0.0.1:\(port)/photos/\(randomID)", now, now])
  }

  private static let schema = """
    CREATE TABLE users (id INTEGER PRIMARY KEY, token TEXT NOT NULL UNIQUE, expires_at INTEGER NOT NULL);
    CREATE TABLE photos (
      id INTEGER PRIMARY KEY, random_id TEXT NOT NULL UNIQUE, user_id INTEGER NOT NULL, name TEXT NOT NULL,
      title TEXT NOT NULL, image_url TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
    CREATE INDEX photos_by_user ON photos (user_id);
    INSERT INTO users (token, expires_at) VALUES ('peer', 4102444800);
    """
}
