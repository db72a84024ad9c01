package import SQL

/// The queries of the table `notes`. Notes.swift has the endpoints.
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
      SELECT count(*) AS row_count, sum(id % $1) AS id_sum, sum(updated_at) AS change_sum, max(updated_at) AS last_change
      FROM notes WHERE user_id = $2
      """, .integer(ListVersion.idModulus), .integer(userID))
  }

  /// The next notes after an id. A page of the longest ones has thirteen megabytes.
  package static func page(after id: Int64 = .min, max: Int64 = 100) -> Query {
    Query("SELECT * FROM notes WHERE id > $1 ORDER BY id LIMIT $2", .integer(id), .integer(max))
  }

  // MARK: - Sums, by the table `note_bytes`, which triggers update

  /// The number of a user's notes, and their bytes, as `Totals`; no row if there are none.
  fileprivate static func totals(of userID: Int64) -> Query {
    Query("SELECT note_count AS row_count, byte_count FROM note_bytes WHERE user_id = $1", .integer(userID))
  }

  /// How many users with notes have a wrong recorded number or size of them.
  package static let wrongSums = Query(
    """
    SELECT count(*) - count(noted.user_id) FROM (
      SELECT user_id, sum(byte_count) AS byte_count, count(*) AS note_count FROM notes GROUP BY user_id) AS sums
    LEFT JOIN note_bytes AS noted ON noted.user_id = sums.user_id AND noted.byte_count = sums.byte_count
      AND noted.note_count = sums.note_count
    """)

  /// How many users have a recorded number of notes though they have none.
  package static let sumsWithoutNotes = Query(
    "SELECT count(*) FROM note_bytes WHERE NOT EXISTS (SELECT 1 FROM notes WHERE user_id = note_bytes.user_id)")

  // MARK: - Single notes

  /// A note; nil if the user has none, or if it has more bytes.
  func find(id: Int64, userID: Int64, maxBytes: Int = .max) async throws -> Note? {
    try await database.first(
      Query(
        "SELECT * FROM notes WHERE id = $1 AND user_id = $2 AND byte_count <= $3", .integer(id), .integer(userID),
        .integer(Int64(maxBytes))))
  }

  /// The bytes that a note counts for; nil if the user has none.
  func byteCount(id: Int64, userID: Int64) async throws -> Int64? {
    try await database.first(
      Query("SELECT byte_count FROM notes WHERE id = $1 AND user_id = $2", .integer(id), .integer(userID)))
  }

  static func note(id: Int64, userID: Int64) -> Query {
    Query("SELECT * FROM notes WHERE id = $1 AND user_id = $2", .integer(id), .integer(userID))
  }

  /// Inserts a note, and returns it with its id.
  ///
  /// - Throws: `Refusal.tooManyNotes`, `Refusal.passwordReplaced`, `Refusal.accountDisabled`.
  func insert(_ note: Note, by user: User) async throws -> Note {
    try await database.write(about: .user(user.id)) { tx in
      try tx.requirePassword(of: user)
      try tx.requireRoom(for: note)
      var note = note
      note.id = try tx.insert(note)
      return note
    }
  }

  /// Replaces the title and the body of a note, where they are given.
  ///
  /// - Returns: false if the user has no such note.
  /// - Throws: `Refusal.tooManyNotes`, `Refusal.passwordReplaced`, `Refusal.accountDisabled`.
  func update(id: Int64, by user: User, title: String?, body: String?, now: Int64) async throws -> Bool {
    try await database.write(about: .user(user.id)) { tx in
      try tx.requirePassword(of: user)
      guard let stored = try tx.first(Self.note(id: id, userID: user.id), as: CountedNote.self) else { return false }
      var note = stored.note
      note.title = title ?? note.title
      note.body = body ?? note.body
      note.updatedAt = now
      try tx.requireRoom(for: note, insteadOf: stored)
      try tx.update(note)
      return true
    }
  }

  /// Deletes a note of this user; false if there is none.
  ///
  /// - Throws: `Refusal.passwordReplaced`, `Refusal.accountDisabled`.
  func remove(id: Int64, by user: User) async throws -> Bool {
    try await database.write(about: .user(user.id), makesRoom: true) { tx in
      try tx.requirePassword(of: user)
      return try tx.run(
        Query("DELETE FROM notes WHERE id = $1 AND user_id = $2", .integer(id), .integer(user.id))) > 0
    }
  }
}

extension Note: NumberedRecord {
  package var insertion: Query {
    Query(
      """
      INSERT INTO notes (id, user_id, title, body, byte_count, created_at, updated_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id
      """, idOrNext, .integer(userID), .text(title), .text(body), .integer(byteCount), .integer(createdAt),
      .integer(updatedAt))
  }
}

extension Transaction {
  /// Requires that the limits have room for a note besides the user's others.
  ///
  /// - Parameter stored: the note before it was changed; nil for a new one.
  /// - Throws: `Refusal.tooManyNotes`.
  fileprivate func requireRoom(for note: Note, insteadOf stored: CountedNote? = nil) throws {
    guard let used = try first(NoteStore.totals(of: note.userID), as: Totals.self) else { return }
    // A damaged row may have any number.
    let others = (count: used.rowCount &- (stored == nil ? 0 : 1), bytes: used.byteCount &- (stored?.byteCount ?? 0))
    guard others.count < Note.maxPerUser, others.bytes <= Note.maxBytesPerUser - note.byteCount else {
      throw Refusal.tooManyNotes
    }
  }

  /// Updates what can change of a note, which counts for the bytes that it has from then on.
  fileprivate func update(_ note: Note) throws {
    try run(
      Query(
        "UPDATE notes SET title = $1, body = $2, byte_count = $3, updated_at = $4 WHERE id = $5", .text(note.title),
        .text(note.body), .integer(note.byteCount), .integer(note.updatedAt), .integer(note.id)))
  }

  /// Counts the notes of all users, and their bytes, anew. For SQLite, where no other transaction writes meanwhile.
  package func sumNotesAnew() throws {
    try run([
      Query("DELETE FROM note_bytes"),
      Query(
        """
        INSERT INTO note_bytes (user_id, byte_count, note_count)
        SELECT user_id, sum(byte_count), count(*) FROM notes GROUP BY user_id
        """),
    ])
  }

  /// Lets a note count for the bytes that it has, which may not be UTF-8, and does not touch them. A note that was
  /// changed since it was read counts for its new bytes already.
  package func correctByteCount(of entry: CountedNote) throws {
    try run([
      Query(
        "UPDATE notes SET byte_count = $1 WHERE id = $2 AND byte_count = $3 AND updated_at = $4",
        .integer(entry.storedBytes), .integer(entry.note.id), .integer(entry.byteCount),
        .integer(entry.note.updatedAt))
    ])
  }
}
