-- The people who have an account. Names are what signup made of the full name: its first and its
-- last word, both null when there was none. Times are unix milliseconds, here and everywhere.
CREATE TABLE users (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  first_name    TEXT,
  last_name     TEXT,
  -- Compared to the letter: two addresses that differ in case are two accounts.
  email         TEXT    NOT NULL UNIQUE,
  -- bcrypt: $2b$, or $2a$ and $2y$ of imported accounts.
  password_hash TEXT    NOT NULL,
  created_at    INTEGER NOT NULL,
  updated_at    INTEGER NOT NULL
) STRICT;
