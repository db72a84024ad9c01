-- What lets photos survive a crash at any instant, and shows when one did not survive the disk.

-- SHA-256 of the file; null in rows that are older than this column.
ALTER TABLE photos ADD COLUMN sha256 BLOB;

-- Files in photos/ whose row is gone, and which are still to be unlinked. A row stays here until the folder
-- without the file is on the disk.
CREATE TABLE removed_photos (
  random_id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- A file belongs to a row or is to be unlinked, never both and never neither: in the same transaction, however a
-- row goes (by itself, or with its user) or comes (of another id, or of one that was here before).
CREATE TRIGGER photo_removed AFTER DELETE ON photos BEGIN
  INSERT OR IGNORE INTO removed_photos (random_id) VALUES (OLD.random_id);
END;

CREATE TRIGGER photo_inserted AFTER INSERT ON photos BEGIN
  DELETE FROM removed_photos WHERE random_id = NEW.random_id;
END;
