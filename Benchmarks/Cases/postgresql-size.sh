#!/usr/bin/env bash
# What a row takes in PostgreSQL, with its indexes: the averages of 100,000 users, 200,000 tokens and 1,000,000 photos,
# just inserted. bin/bench runs it only if it is named, since it needs PostgreSQL.
. "$(dirname "$0")/../lib.sh"
. "$here/lib/postgresql.sh"

measure postgresql_size 'A row in PostgreSQL, with its indexes'
measure postgresql_index_size 'The indexes of a row in PostgreSQL'

start_postgresql -c fsync=off -c max_wal_size=2GB
sql -f "$BENCH_ROOT/Migrations/PostgreSQL/0001_create_tables.sql"
sql <<'END'
INSERT INTO users (first_name, last_name, email, password_hash, created_at, updated_at)
  SELECT 'Jo', 'Smith', 'jo.smith.' || n || '@example.com',
    '$2b$12$' || substr(md5(n::text) || md5((n + 1)::text), 1, 53), 1763800000000, 1763800000000
  FROM generate_series(1, 100000) AS n;
INSERT INTO tokens (digest, user_id, expires_at, created_at, family)
  SELECT sha256(int8send(n)), 1 + n % 100000, 1763900000000 + n, 1763800000000 + n, sha256(int8send(n))
  FROM generate_series(0::bigint, 199999) AS n;
INSERT INTO photos (random_id, user_id, name, title, byte_count, content_type, created_at, updated_at, sha256)
  SELECT substr(md5(n::text) || md5((n + 7)::text), 1, 41), 1 + n % 100000, 'IMG_' || n || '.jpg', 'a selfie of mine',
    300000, 'image/jpeg', 1763800000000, 1763800000000, sha256(int8send(n))
  FROM generate_series(0::bigint, 999999) AS n;
VACUUM ANALYZE;
END
for table in users tokens photos photo_bytes; do
  for size in total_relation:postgresql_size indexes:postgresql_index_size; do
    bytes="$(sql -c "SELECT round(pg_${size%:*}_size('$table') / (SELECT count(*) FROM $table)::numeric)")"
    record "${size#*:}" "$table" 1 "$bytes" bytes
  done
done
