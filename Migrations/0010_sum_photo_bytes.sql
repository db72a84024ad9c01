-- How many bytes the photos of each user have, so that an upload finds out by one look-up whether a quota has room for
-- it. A user without photos has no row. The sums would become REAL beyond 2^63, which only a damaged row could bring
-- about; hence the casts.
CREATE TABLE photo_bytes (
  user_id    INTEGER PRIMARY KEY,
  byte_count INTEGER NOT NULL
) STRICT;

INSERT INTO photo_bytes (user_id, byte_count)
  SELECT user_id, CAST(total(byte_count) AS INTEGER) FROM photos GROUP BY user_id;

-- In the same transaction, however a photo comes or goes.
CREATE TRIGGER photo_bytes_added AFTER INSERT ON photos BEGIN
  INSERT INTO photo_bytes (user_id, byte_count) VALUES (NEW.user_id, NEW.byte_count)
    ON CONFLICT (user_id) DO UPDATE SET byte_count = CAST(byte_count + excluded.byte_count AS INTEGER);
END;

CREATE TRIGGER photo_bytes_removed AFTER DELETE ON photos BEGIN
  UPDATE photo_bytes SET byte_count = CAST(byte_count - OLD.byte_count AS INTEGER) WHERE user_id = OLD.user_id;
  DELETE FROM photo_bytes WHERE user_id = OLD.user_id AND byte_count <= 0;
END;
