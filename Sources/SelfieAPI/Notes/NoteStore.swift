import SQL
import SQLite

/// The table `notes`.
package struct NoteStore: Sendable {
  let database: ApplicationDatabase

  /// The notes of a user after the row `id`, oldest first.
  static func list(of userID: Int64, after id: Int64, max: Int64) -> Query {
    Query(
      "SELECT * FROM notes WHERE user_id = $1 AND id > $2 ORDER BY id LIMIT $3", .integer(userID), .integer(id),
      .integer(max))
  }

  /// The `ListVersion` of a user's notes.
  static func version(of userID: Int64) -> Query {
    Query(
      """
      SELECT count(*), CAST(sum(id % $1) AS bigint), CAST(sum(updated_at) AS bigint), max(updated_at), ''
      FROM notes WHERE user_id = $2
      """, .integer(ListVersion.idModulus), .integer(userID))
  }

  /// All notes, by id.
  package static func all(on connection: Connection) throws -> [Note] {
    try connection.query("SELECT * FROM notes ORDER BY id") { Note($0) }
  }

  /// The next notes behind an id. A page of the longest ones has thirteen megabytes.
  package static func page(after id: Int64, on connection: Connection) throws -> [CountedNote] {
    try connection.query(page(after: id)) { CountedNote($0, from: 0) }
  }

  package static func page(after id: Int64) -> Query {
    Query("SELECT * FROM notes WHERE id > $1 ORDER BY id LIMIT 100", .integer(id))
  }

  /// Lets a note count for the bytes that it has.
  package static func correctByteCount(of note: Note, on connection: Connection) throws {
    try connection.run("UPDATE notes SET byte_count = $1 WHERE id = $2", .integer(note.byteCount), .integer(note.id))
  }

  func find(id: Int64, userID: Int64) async throws -> Note? {
    try await database.first(
      Query("SELECT * FROM notes WHERE id = $1 AND user_id = $2", .integer(id), .integer(userID)))
  }

  /// Inserts a note, and returns it with its id.
  ///
  /// - Throws: `NotesFull`, `PasswordReplaced`.
  func insert(_ note: Note, by user: User) async throws -> Note {
    let written = try await database.run(Self.insertion(of: note, by: user))
    guard let row = written.first else {
      try UserStore.requirePassword(of: user, in: written.reason)
      throw NotesFull()
    }
    var note = note
    note.id = row.integer(0)
    return note
  }

  static func insertion(of note: Note, by user: User) -> Write {
    Write(
      lock: .user(user.id),
      decisive: Query(
        """
        INSERT INTO notes (user_id, title, body, byte_count, created_at, updated_at)
        SELECT id, $1, $2, $3, $4, $5 FROM users WHERE id = $6 AND password_hash = $7
          AND (SELECT count(*) < $8 AND COALESCE(CAST(sum(byte_count) AS bigint), 0) <= $9
            FROM notes WHERE user_id = users.id)
        RETURNING id
        """,
        .text(note.title), .text(note.body), .integer(note.byteCount), .integer(note.createdAt),
        .integer(note.updatedAt), .integer(user.id), .text(user.passwordHash), .integer(Note.maxPerUser),
        .integer(Note.maxBytesPerUser - note.byteCount)),
      reason: UserStore.passwordHash(of: user.id),
      // Two equal notes of one millisecond may pass for one another.
      evidence: Query(
        """
        SELECT id FROM notes WHERE user_id = $1 AND created_at = $2 AND title = $3 AND body = $4
        ORDER BY id DESC LIMIT 1
        """, .integer(user.id), .integer(note.createdAt), .text(note.title), .text(note.body)))
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
    try connection.run(insertionWithID(of: note))
  }

  package static func insertionWithID(of note: Note) -> Query {
    Query(
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
    let written = try await database.run(Self.change(of: id, by: user, title: title, body: body, now: now))
    guard !written.isDone else { return true }
    try UserStore.requirePassword(of: user, in: written.reason)
    guard written.reason?.integer(1) == 1 else { return false }
    throw NotesFull()
  }

  static func change(of id: Int64, by user: User, title: String?, body: String?, now: Int64) -> Write {
    let values: [Value] = [
      .text(orNull: title), .text(orNull: body), .integer(now), .integer(id), .integer(user.id),
      .text(user.passwordHash), .integer(Note.maxPerUser), .integer(Note.maxBytesPerUser),
    ]
    return Write(
      lock: .user(user.id),
      decisive: Query(
        """
        UPDATE notes SET title = COALESCE($1, title), body = COALESCE($2, body), updated_at = $3,
          byte_count = length(CAST(COALESCE($1, title) AS BLOB)) + length(CAST(COALESCE($2, body) AS BLOB))
        WHERE id = $4 AND user_id = $5 AND EXISTS (SELECT 1 FROM users WHERE id = $5 AND password_hash = $6)
          AND (SELECT count(*) <= $7 AND CAST(sum(mine.byte_count) AS bigint) - notes.byte_count
              + length(CAST(COALESCE($1, notes.title) AS BLOB)) + length(CAST(COALESCE($2, notes.body) AS BLOB)) <= $8
            FROM notes AS mine WHERE mine.user_id = $5)
        RETURNING id
        """, values: values),
      sharedDecisive: sharedChange(values),
      reason: Query(
        """
        SELECT password_hash, (SELECT count(*) FROM notes WHERE id = $1 AND user_id = users.id)
        FROM users WHERE id = $2
        """, .integer(id), .integer(user.id)),
      evidence: Query(
        """
        SELECT id FROM notes WHERE id = $1 AND user_id = $2 AND updated_at = $3 AND title = COALESCE($4, title)
          AND body = COALESCE($5, body)
        """, .integer(id), .integer(user.id), .integer(now), .text(orNull: title), .text(orNull: body)))
  }

  /// Deletes a note of this user; false if there is none.
  ///
  /// - Throws: `PasswordReplaced`.
  func remove(id: Int64, by user: User) async throws -> Bool {
    let written = try await database.run(Self.removal(of: id, by: user))
    guard !written.isDone else { return true }
    try UserStore.requirePassword(of: user, in: written.reason)
    return false
  }

  static func removal(of id: Int64, by user: User) -> Write {
    Write(
      lock: .user(user.id),
      makesRoom: true,
      decisive: Query(
        """
        DELETE FROM notes
        WHERE id = $1 AND user_id = $2 AND EXISTS (SELECT 1 FROM users WHERE id = $2 AND password_hash = $3)
        RETURNING id
        """, .integer(id), .integer(user.id), .text(user.passwordHash)),
      reason: UserStore.passwordHash(of: user.id),
      // A note that was not there before is what the client wanted, too.
      evidence: Query(
        "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM notes WHERE id = $1 AND user_id = $2)", .integer(id),
        .integer(user.id)))
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
}

/// A note with the bytes that it counts for.
package struct CountedNote: Sendable, RowRecord {
  package let note: Note
  package let byteCount: Int64

  package init(_ row: borrowing some RowReader & ~Copyable, from first: Int32) {
    note = Note(row, from: first)
    byteCount = row.integer(first + 4)
  }
}

/// A user has as many notes as there may be.
struct NotesFull: Error {}
