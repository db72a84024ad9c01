# Databases with many users and photos, filled by sqlite3.

# Makes a database of that many users, each with five photos that lie far apart, and of three more users with tokens:
# "three", "hundred" and "tenthousand", named after how many photos they have. Each photo has one byte.
fill() { # server users
  start_selfie "$1"
  stop "$1"
  local name
  local -A digest
  for name in three hundred tenthousand x; do
    digest[$name]="x'$(printf %s "$name" | sha256sum | cut -d' ' -f1)'"
  done
  sqlite3 "$folder/$1/selfie.sqlite3" > "$folder/fill.out" <<END
PRAGMA synchronous = OFF;
PRAGMA cache_size = -400000;
BEGIN;
-- Filled first, as sorting them then is quicker than inserting each in its place.
DROP INDEX photos_by_user;
INSERT INTO users (first_name, last_name, email, password_hash, created_at, updated_at)
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $2 + 3)
  SELECT 'Jo', 'Smith', printf('user%08d@example.com', i), printf('%060d', 0), 1790000000000, 1790000000000 FROM n;
-- The ids are numbers of six letters and more, spread over 676 folders.
INSERT INTO photos (random_id, user_id, name, title, byte_count, content_type, created_at, updated_at, sha256)
  WITH RECURSIVE n(i, id) AS (SELECT 0, 0 UNION ALL SELECT i + 1, id + 308915776 / (5 * $2) FROM n WHERE i < 5 * $2 - 1)
  SELECT char(97 + id / 11881376, 97 + id / 456976 % 26, 97 + id / 17576 % 26, 97 + id / 676 % 26, 97 + id / 26 % 26,
      97 + id % 26) || 'abcdefghijklmnopqrstuvwxyzabcdefghi',
    CASE WHEN i IN (1, $2, 4 * $2) THEN $2 + 1 ELSE 1 + i % $2 END,
    'photo', 'a selfie', 1, 'image/png', 1790000000000, 1790000000000, ${digest[x]} FROM n;
INSERT INTO photos (random_id, user_id, name, title, byte_count, content_type, created_at, updated_at, sha256)
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10100)
  SELECT 'ZZ' || char(97 + i / 676, 97 + i / 26 % 26, 97 + i % 26) || 'abcdefghijklmnopqrstuvwxyzabcdefghij',
    CASE WHEN i <= 100 THEN $2 + 2 ELSE $2 + 3 END,
    'photo', 'a selfie', 1, 'image/png', 1790000000000, 1790000000000, ${digest[x]} FROM n;
$(grep -h '^CREATE INDEX photos_by_user' "$BENCH_ROOT"/Migrations/*.sql)
INSERT INTO tokens (digest, user_id, expires_at, created_at) VALUES
  (${digest[three]}, $2 + 1, 4102444800000, 1790000000000),
  (${digest[hundred]}, $2 + 2, 4102444800000, 1790000000000),
  (${digest[tenthousand]}, $2 + 3, 4102444800000, 1790000000000);
COMMIT;
PRAGMA wal_checkpoint(TRUNCATE);
END
  start_selfie "$1"
}

# Makes the files of all photos in such a database. They are hard links: fifty million files of their own would need more
# inodes than most file systems have.
link_photos() { # server
  sqlite3 "$folder/$1/selfie.sqlite3" 'SELECT random_id FROM photos' |
    "$BENCH_TOOLS/photo-links" "$folder/$1/photos"
}
