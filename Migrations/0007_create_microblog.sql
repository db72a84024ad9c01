-- The Microblog app: accounts of its own, which have a name in place of an email address.
CREATE TABLE microblog_users (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Compared to the letter.
  name          TEXT    NOT NULL UNIQUE,
  -- bcrypt: $2b$.
  password_hash TEXT    NOT NULL,
  created_at    INTEGER NOT NULL
) STRICT;

-- The sessions of cookies. Only the SHA-256 of a cookie is kept, so that the database gives nobody access.
CREATE TABLE microblog_sessions (
  digest     BLOB    PRIMARY KEY,
  user_id    INTEGER NOT NULL REFERENCES microblog_users (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  -- To the hour, so that not every request writes.
  used_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A user's sessions by age, to end the oldest of too many.
CREATE INDEX microblog_sessions_by_user ON microblog_sessions (user_id, used_at);

-- All sessions that have not been used for long.
CREATE INDEX microblog_sessions_by_use ON microblog_sessions (used_at);

CREATE TABLE blogposts (
  -- The order of the posts. AUTOINCREMENT: no post takes the place of a deleted one.
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The id that clients know.
  uuid       TEXT    NOT NULL UNIQUE,
  user_id    INTEGER NOT NULL REFERENCES microblog_users (id) ON DELETE CASCADE,
  text       TEXT    NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX blogposts_by_user ON blogposts (user_id);
