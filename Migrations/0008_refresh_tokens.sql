-- What lets a client refresh its token.

-- The digest of the token that the device got when it signed in: what came from that by refreshing has the same
-- family. Empty if the token can no longer be refreshed.
ALTER TABLE tokens ADD COLUMN family BLOB NOT NULL DEFAULT x'';

-- When the token was refreshed for the first time; null if it never was.
ALTER TABLE tokens ADD COLUMN refreshed_at INTEGER;

UPDATE tokens SET family = digest;

-- The tokens that no request is answered with any more, but that can still be refreshed, or that show when somebody
-- uses a token that was refreshed long ago.
CREATE TABLE retired_tokens (
  digest       BLOB    PRIMARY KEY,
  user_id      INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  expires_at   INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  family       BLOB    NOT NULL,
  refreshed_at INTEGER
) STRICT, WITHOUT ROWID;

-- A user's retired tokens by age, to forget the oldest of too many.
CREATE INDEX retired_tokens_by_user ON retired_tokens (user_id, created_at);

-- All of them that expired long ago.
CREATE INDEX retired_tokens_by_expiry ON retired_tokens (expires_at);
