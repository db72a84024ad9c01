-- The photos whose digest is still to be noted, so that a look for them costs nothing when there are none.
CREATE INDEX photos_without_digest ON photos (id) WHERE sha256 IS NULL;
