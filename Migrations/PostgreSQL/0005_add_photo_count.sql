-- How many photos each user has, which the next migration counts. This one is on its own because an upload may read
-- photo_bytes, for a quota, before it writes to photos: with a migration that locked both tables, it would deadlock.
ALTER TABLE photo_bytes ADD COLUMN photo_count bigint NOT NULL DEFAULT 0;
