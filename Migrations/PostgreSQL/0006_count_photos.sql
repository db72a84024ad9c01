-- How many photos each user has, too: counting them for MAX_PHOTOS would take an upload half a millisecond for ten
-- thousand photos.

-- An INSERT or DELETE that is under way has counted nothing: it ends before this, and the others wait.
LOCK TABLE photos IN SHARE ROW EXCLUSIVE MODE;

-- Users whose photos are all empty may have no row yet.
INSERT INTO photo_bytes (user_id, byte_count, photo_count)
  SELECT user_id, 0, count(*) FROM photos GROUP BY user_id
  ON CONFLICT (user_id) DO UPDATE SET photo_count = excluded.photo_count;

CREATE OR REPLACE FUNCTION photos_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM removed_photos USING added WHERE removed_photos.random_id = added.random_id;
  INSERT INTO photo_bytes AS sums (user_id, byte_count, photo_count)
    SELECT user_id, CAST(sum(byte_count) AS bigint), count(*) FROM added GROUP BY user_id ORDER BY user_id
    ON CONFLICT (user_id) DO UPDATE SET
      byte_count = sums.byte_count + excluded.byte_count, photo_count = sums.photo_count + excluded.photo_count;
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION photos_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO removed_photos (random_id) SELECT random_id FROM removed ON CONFLICT (random_id) DO NOTHING;
  UPDATE photo_bytes AS sums SET
      byte_count = sums.byte_count - gone.byte_count, photo_count = sums.photo_count - gone.photo_count
    FROM (
      SELECT user_id, CAST(sum(byte_count) AS bigint) AS byte_count, count(*) AS photo_count
      FROM removed GROUP BY user_id) AS gone
    WHERE sums.user_id = gone.user_id;
  DELETE FROM photo_bytes WHERE photo_count <= 0 AND user_id IN (SELECT user_id FROM removed);
  RETURN NULL;
END
$$;
