import SQL
import SQLite

/// The table `notes`.
package struct NoteStore: Sendable {
  let database: Database

  /// How many notes a user has, and their bytes.
  func totals(of userID: Int64) throws -> (count: Int64, byteCount: Int64) {
    try database.read { try Self.totals(of: userID, on: $0) }
  }

  private static func totals(of userID: Int64, on connection: Connection) throws -> (count: Int64, byteCount: Int64) {
    try connection.first(
      "SELECT count(*), CAST(sum(byte_count) AS bigint) FROM notes WHERE user_id = $1", .integer(userID)
    ) { ($0.integer(0), $0.integer(1)) } ?? (0, 0)
  }

  /// Shows the notes of a user, oldest first.
  func forEach(of userID: Int64, _ body: (Note) throws -> Void) throws {
    try database.read { connection in
      try connection.forEach("SELECT * FROM notes WHERE user_id = $1 ORDER BY id", .integer(userID)) {
        try body(Note($0))
      }
    }
  }

  /// All notes, by id.
  package static func all(on connection: Connection) throws -> [Note] {
    try connection.query("SELECT * FROM notes ORDER BY id") { Note($0) }
  }

  /// The next notes behind an id, with the bytes that they count for. A page of the longest ones has thirteen megabytes.
  package static func page(
    after id: Int64, on connection: Connection
  ) throws -> [(note: Note, byteCount: Int64)] {
    try connection.query("SELECT * FROM notes WHERE id > $1 ORDER BY id LIMIT 100", .integer(id)) {
      (Note($0), $0.integer(4))
    }
  }

  /// Lets a note count for the bytes that it has.
  package static func correctByteCount(of note: Note, on connection: Connection) throws {
    try connection.run("UPDATE notes SET byte_count = $1 WHERE id = $2", .integer(note.byteCount), .integer(note.id))
  }

  func find(id: Int64, userID: Int64) throws -> Note? {
    try database.read { try Self.find(id: id, userID: userID, on: $0) }
  }

  private static func find(id: Int64, userID: Int64, on connection: Connection) throws -> Note? {
    try connection.first("SELECT * FROM notes WHERE id = $1 AND user_id = $2", .integer(id), .integer(userID)) {
      Note($0)
    }
  }

  /// Inserts a note, and returns it with its id.
  ///
  /// - Throws: `NotesFull`, `PasswordReplaced`.
  func insert(_ note: Note, by user: User) async throws -> Note {
    try await database.write { connection in
      try UserStore.requirePassword(of: user, on: connection)
      try Self.checkRoom(for: note, on: connection)
      var note = note
      note.id = try Self.insert(note, on: connection)
      return note
    }
  }

  /// Inserts a note with the id that it has, or with the next one.
  ///
  /// - Returns: the note's id.
  @discardableResult
  package static func insert(_ note: Note, on connection: Connection) throws -> Int64 {
    guard note.id == 0 else {
      try insertWithID(note, on: connection)
      return note.id
    }
    let query = Query(
      """
      INSERT INTO notes (user_id, title, body, byte_count, created_at, updated_at)
      VALUES ($1, $2, $3, $4, $5, $6) RETURNING id
      """,
      .integer(note.userID), .text(note.title), .text(note.body), .integer(note.byteCount), .integer(note.createdAt),
      .integer(note.updatedAt))
    return try connection.rows(query).first?.integer(0) ?? 0
  }

  static func insertWithID(_ note: Note, on connection: Connection) throws {
    try connection.run(
      """
      INSERT INTO notes (id, user_id, title, body, byte_count, created_at, updated_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      """,
      .integer(note.id), .integer(note.userID), .text(note.title), .text(note.body), .integer(note.byteCount),
      .integer(note.createdAt), .integer(note.updatedAt))
  }

  /// Inserts notes that have ids before those that get new ones, so that no new id takes the place of another's.
  package static func insert(_ notes: [Note], on connection: Connection) throws {
    for note in notes where note.id != 0 { try insert(note, on: connection) }
    for note in notes where note.id == 0 { try insert(note, on: connection) }
  }

  /// Replaces the title and the body of a note, where they are given.
  ///
  /// - Returns: false if the user has no such note.
  /// - Throws: `NotesFull`, `PasswordReplaced`.
  func update(id: Int64, by user: User, title: String?, body: String?, now: Int64) async throws -> Bool {
    try await database.write { connection in
      try UserStore.requirePassword(of: user, on: connection)
      guard let old = try Self.find(id: id, userID: user.id, on: connection) else { return false }
      var note = old
      note.title = title ?? old.title
      note.body = body ?? old.body
      try Self.checkRoom(for: note, replacing: old, on: connection)
      try connection.run(
        "UPDATE notes SET title = $1, body = $2, byte_count = $3, updated_at = $4 WHERE id = $5", .text(note.title),
        .text(note.body), .integer(note.byteCount), .integer(now), .integer(id))
      return true
    }
  }

  /// Deletes a note of this user; false if there is none.
  ///
  /// - Throws: `PasswordReplaced`.
  func remove(id: Int64, by user: User) async throws -> Bool {
    try await database.write(makesRoom: true) { connection in
      try UserStore.requirePassword(of: user, on: connection)
      try connection.run("DELETE FROM notes WHERE id = $1 AND user_id = $2", .integer(id), .integer(user.id))
      return connection.changes == 1
    }
  }

  /// - Returns: how many there were.
  package static func removeAll(on connection: Connection) throws -> Int64 {
    try connection.run("DELETE FROM notes")
    return connection.changes
  }

  /// The greatest id that there has ever been.
  package static func lastID(on connection: Connection) throws -> Int64 { try connection.lastRowID(of: "notes") }

  package static func setLastID(_ id: Int64, on connection: Connection) throws {
    try connection.setLastRowID(id, of: "notes")
  }

  private static func checkRoom(for note: Note, replacing old: Note? = nil, on connection: Connection) throws {
    let totals = try totals(of: note.userID, on: connection)
    guard totals.count + (old == nil ? 1 : 0) <= Note.maxPerUser,
      totals.byteCount - (old?.byteCount ?? 0) + note.byteCount <= Note.maxBytesPerUser
    else { throw NotesFull() }
  }
}

/// A user has as many notes as there may be.
struct NotesFull: Error {}
