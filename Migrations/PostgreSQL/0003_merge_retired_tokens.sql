-- All tokens in one table. A retired one is accepted by refresh_token only, or shows that it was used by somebody else
-- after its refresh.

ALTER TABLE tokens ADD COLUMN is_retired smallint NOT NULL DEFAULT 0;

-- An index is made much faster of all rows than row by row, and so are references checked.
DROP INDEX tokens_by_user;
DROP INDEX tokens_by_expiry;
ALTER TABLE tokens DROP CONSTRAINT tokens_user_id_fkey;

INSERT INTO tokens (digest, user_id, expires_at, created_at, family, refreshed_at, is_retired)
  SELECT digest, user_id, expires_at, created_at, family, refreshed_at, 1 FROM retired_tokens
  ON CONFLICT (digest) DO NOTHING;

DROP TABLE retired_tokens;

ALTER TABLE tokens ADD FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE;

-- A user's tokens by age: to retire or delete the oldest of too many. The retired ones are apart, since a user may have
-- many of them.
CREATE INDEX tokens_by_user ON tokens (user_id, is_retired, created_at, digest);

-- All tokens that expired long ago, and all that are live.
CREATE INDEX tokens_by_expiry ON tokens (expires_at, is_retired);
