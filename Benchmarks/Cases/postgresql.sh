#!/usr/bin/env bash
# Look-ups in PostgreSQL by the server's own pool of connections, compared with pgbench: the same statement, prepared, on
# the same number of connections, by one thread. bin/bench runs it only if it is named, since it needs PostgreSQL.
. "$(dirname "$0")/../lib.sh"
. "$here/lib/postgresql.sh"

measure postgresql 'Photos looked up in PostgreSQL, one look-up on each of 4 connections'
measure postgresql_pipeline 'Photos looked up in PostgreSQL, 64 look-ups on 4 connections'
goal postgresql 'pgbench' selfie-server at-least 0.6 pgbench
goal postgresql_pipeline 'pgbench, one look-up on each connection' selfie-server at-least 1 pgbench

"$BENCH_ROOT/bin/setup" all
package="$BENCH_ROOT/Benchmarks/PostgreSQL"
swift build -c release --package-path "$package" --scratch-path "$BENCH_FOLDER/postgresql" >&2

# Only reads are measured.
start_postgresql -c autovacuum=off
sql -f "$BENCH_ROOT/Migrations/PostgreSQL/0001_create_tables.sql"
sql <<'END'
INSERT INTO users (email, password_hash, created_at, updated_at)
  SELECT n || '@example.com', '', 1, 1 FROM generate_series(0, 999) AS n;
INSERT INTO tokens (digest, user_id, expires_at, created_at)
  SELECT int8send(n), n + 1, 9999999999999, 1 FROM generate_series(0::bigint, 999) AS n;
INSERT INTO photos (random_id, user_id, name, title, byte_count, content_type, created_at, updated_at)
  SELECT lpad(n::text, 41, 'x'), 1 + n % 1000, 'photo.jpg', 'a selfie', 200000, 'image/jpeg', 1, 1
  FROM generate_series(0, 2999) AS n;
VACUUM ANALYZE;
END

# The statement of the program, to the letter.
{
  echo '\set user random(0, 999)'
  sed -n '/sql: StaticString = """/,/"""$/p' "$package/Sources/pool-reads/PoolReads.swift" |
    sed -e '1d' -e '$d' -e 's/\$1/:user/' | tr '\n' ' '
  echo ';'
} > "$folder/look-up.sql"

for round in $(rounds); do
  rate="$(pgbench_rate "$folder/look-up.sql" 4 1 postgres)"
  for name in postgresql postgresql_pipeline; do record "$name" pgbench "$round" "$rate" look-ups/s; done
  for case in postgresql:4 postgresql_pipeline:64; do
    rate="$("$BENCH_FOLDER/postgresql/release/pool-reads" "postgres:///postgres?host=$database&user=postgres" 4 \
      "${case#*:}" "$BENCH_SECONDS")"
    record "${case%:*}" selfie-server "$round" "$rate" look-ups/s
  done
done
