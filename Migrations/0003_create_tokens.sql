-- The tokens that are out. Only their SHA-256 is kept, so that the database gives nobody access.
CREATE TABLE tokens (
  digest     BLOB    PRIMARY KEY,
  user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  expires_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A user's tokens by age: to end the expired ones, and the oldest of too many.
CREATE INDEX tokens_by_user ON tokens (user_id, created_at);

-- All tokens that expired long ago.
CREATE INDEX tokens_by_expiry ON tokens (expires_at);
