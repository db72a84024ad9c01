-- How many notes each user has, and their bytes, so that a change of a note finds out by one look-up whether the limits
-- have room for it. A user without notes has no row.

-- A write that is under way has counted nothing: it ends before this, and the others wait. The strongest lock at once:
-- dropping the index needs it, and a write that had read a note already would wait for a weaker one and hold that up.
LOCK TABLE notes IN ACCESS EXCLUSIVE MODE;

CREATE TABLE note_bytes (
  user_id    bigint PRIMARY KEY,
  byte_count bigint NOT NULL,
  note_count bigint NOT NULL
);

INSERT INTO note_bytes (user_id, byte_count, note_count)
  SELECT user_id, CAST(sum(byte_count) AS bigint), count(*) FROM notes GROUP BY user_id;

-- In the same transaction, however notes come, change or go; once for a statement, as with photos.
CREATE FUNCTION notes_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO note_bytes AS sums (user_id, byte_count, note_count)
    SELECT user_id, CAST(sum(byte_count) AS bigint), count(*) FROM added GROUP BY user_id ORDER BY user_id
    ON CONFLICT (user_id) DO UPDATE SET
      byte_count = sums.byte_count + excluded.byte_count, note_count = sums.note_count + excluded.note_count;
  RETURN NULL;
END
$$;

CREATE FUNCTION notes_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE note_bytes AS sums SET byte_count = sums.byte_count + changes.byte_count
    FROM (
      SELECT user_id, CAST(sum(byte_count) AS bigint) AS byte_count
      FROM (SELECT user_id, byte_count FROM changed UNION ALL SELECT user_id, -byte_count FROM former) AS parts
      GROUP BY user_id) AS changes
    WHERE sums.user_id = changes.user_id AND changes.byte_count <> 0;
  RETURN NULL;
END
$$;

CREATE FUNCTION notes_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE note_bytes AS sums SET
      byte_count = sums.byte_count - gone.byte_count, note_count = sums.note_count - gone.note_count
    FROM (
      SELECT user_id, CAST(sum(byte_count) AS bigint) AS byte_count, count(*) AS note_count
      FROM removed GROUP BY user_id) AS gone
    WHERE sums.user_id = gone.user_id;
  DELETE FROM note_bytes WHERE note_count <= 0 AND user_id IN (SELECT user_id FROM removed);
  RETURN NULL;
END
$$;

CREATE TRIGGER notes_inserted AFTER INSERT ON notes REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION notes_inserted();
CREATE TRIGGER notes_changed AFTER UPDATE ON notes REFERENCING OLD TABLE AS former NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION notes_changed();
CREATE TRIGGER notes_removed AFTER DELETE ON notes REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION notes_removed();

-- It was there to add them up.
DROP INDEX note_sizes_by_user;
