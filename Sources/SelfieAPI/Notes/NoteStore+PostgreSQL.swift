import SQL

// The queries about notes that only a shared database needs. NoteStore.swift has those that both kinds share.
extension NoteStore {
  /// Counts a user's notes and their bytes anew. Other writes of notes wait for the lock of the user.
  package static func correctSum(of userID: Int64, in database: ApplicationDatabase) async throws {
    try await database.write(about: .user(userID)) { tx in
      try tx.run(
        Query(
          """
          INSERT INTO note_bytes (user_id, byte_count, note_count)
          SELECT user_id, sum(byte_count), count(*) FROM notes WHERE user_id = $1 GROUP BY user_id
          ON CONFLICT (user_id) DO UPDATE SET byte_count = excluded.byte_count, note_count = excluded.note_count
          """, .integer(userID)))
      try tx.run(
        Query(
          "DELETE FROM note_bytes WHERE user_id = $1 AND NOT EXISTS (SELECT 1 FROM notes WHERE user_id = $1)",
          .integer(userID)))
    }
  }
}
