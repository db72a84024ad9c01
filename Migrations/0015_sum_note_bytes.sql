-- How many notes each user has, and their bytes, so that a change of a note finds out by one look-up whether the limits
-- have room for it: adding them up took the thread that writes a millisecond for ten thousand notes. A user without
-- notes has no row. The casts are those of photo_bytes.
CREATE TABLE note_bytes (
  user_id    INTEGER PRIMARY KEY,
  byte_count INTEGER NOT NULL,
  note_count INTEGER NOT NULL
) STRICT;

INSERT INTO note_bytes (user_id, byte_count, note_count)
  SELECT user_id, CAST(total(byte_count) AS INTEGER), count(*) FROM notes GROUP BY user_id;

-- In the same transaction, however a note comes, changes or goes.
CREATE TRIGGER note_bytes_added AFTER INSERT ON notes BEGIN
  INSERT INTO note_bytes (user_id, byte_count, note_count) VALUES (NEW.user_id, NEW.byte_count, 1)
    ON CONFLICT (user_id) DO UPDATE SET
      byte_count = CAST(byte_count + excluded.byte_count AS INTEGER), note_count = note_count + 1;
END;

CREATE TRIGGER note_bytes_changed AFTER UPDATE OF byte_count ON notes WHEN NEW.byte_count <> OLD.byte_count BEGIN
  UPDATE note_bytes SET byte_count = CAST(byte_count - OLD.byte_count + NEW.byte_count AS INTEGER)
    WHERE user_id = NEW.user_id;
END;

CREATE TRIGGER note_bytes_removed AFTER DELETE ON notes BEGIN
  UPDATE note_bytes SET byte_count = CAST(byte_count - OLD.byte_count AS INTEGER), note_count = note_count - 1
    WHERE user_id = OLD.user_id;
  DELETE FROM note_bytes WHERE user_id = OLD.user_id AND note_count <= 0;
END;

-- It was there to add them up.
DROP INDEX note_sizes_by_user;
