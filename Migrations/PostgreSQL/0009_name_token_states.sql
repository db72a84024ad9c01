-- The state of a token, as `Token.State` names it: 0 for live and 1 for retired, as they were.
ALTER TABLE tokens RENAME COLUMN is_retired TO state;

-- The tokens that cannot be refreshed, which go once they are retired.
CREATE INDEX tokens_without_refresh ON tokens (user_id, state) WHERE length(family) = 0;
