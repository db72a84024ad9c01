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
      guard var note = try tx.first(Self.note(id: id, userID: user.id), as: Note.self) else { return false }
      note.title = title ?? note.title
      note.body = body ?? note.body
      note.updatedAt = now
      try tx.requireRoom(for: note)
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
  /// - Throws: `Refusal.tooManyNotes`.
  fileprivate func requireRoom(for note: Note) throws {
    let others = Query(
      "SELECT count(*) AS row_count, sum(byte_count) AS byte_count FROM notes WHERE user_id = $1 AND id <> $2",
      .integer(note.userID), .integer(note.id))
    guard let used = try first(others, as: Totals.self), used.rowCount < Note.maxPerUser,
      used.byteCount <= Note.maxBytesPerUser - note.byteCount
    else { throw Refusal.tooManyNotes }
  }

  /// Updates what can change of a note, which counts for the bytes that it has from then on.
  fileprivate func update(_ note: Note) throws {
    try run(
      Query(
        "UPDATE notes SET title = $1, body = $2, byte_count = $3, updated_at = $4 WHERE id = $5", .text(note.title),
        .text(note.body), .integer(note.byteCount), .integer(note.updatedAt), .integer(note.id)))
  }

  /// Lets a note count for the bytes that it has.
  package func correctByteCount(of note: Note) throws {
    guard let now = try first(NoteStore.note(id: note.id, userID: note.userID), as: Note.self) else { return }
    try update(now)
  }
}
