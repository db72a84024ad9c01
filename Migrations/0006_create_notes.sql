-- The notes of the Notes app. They belong to the same accounts as the photos.
CREATE TABLE notes (
  -- AUTOINCREMENT: an id that a client has seen never names another note.
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  title      TEXT    NOT NULL,
  body       TEXT    NOT NULL,
  -- Of the title and the body, in UTF-8.
  byte_count INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

-- A user's notes, oldest first: rows of an index are in the order of their rowid where the key is equal.
CREATE INDEX notes_by_user ON notes (user_id);

-- How much a user's notes are in all, without a look at the notes themselves.
CREATE INDEX note_sizes_by_user ON notes (user_id, byte_count);
