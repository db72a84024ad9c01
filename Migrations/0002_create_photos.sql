-- The photos; their bytes are in the folder photos/, each in a file named by random_id.
CREATE TABLE photos (
  -- AUTOINCREMENT: an id that a client has seen never names another photo.
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  -- 41 letters; who knows them may see the photo.
  random_id    TEXT    NOT NULL UNIQUE,
  user_id      INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- The base name of the file as it was sent; null when that consisted of slashes only.
  name         TEXT,
  title        TEXT    NOT NULL,
  byte_count   INTEGER NOT NULL,
  -- Found in the file's first bytes, never taken from the client.
  content_type TEXT    NOT NULL,
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL
) STRICT;

-- A user's photos, oldest first: rows of an index are in the order of their rowid where the key is equal.
CREATE INDEX photos_by_user ON photos (user_id);
