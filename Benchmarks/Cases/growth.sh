#!/usr/bin/env bash
# Whether a user with three photos notices a million other users with five million photos, what a list of 10,000 photos
# costs, and how much it slows other users down.
. "$(dirname "$0")/../lib.sh"

measure growth 'get_photos, three photos, among other users'
measure growth_list 'Photos listed, one request at a time'
measure growth_p99 'p99 of get_photos, 500/s, beside long lists'
goal growth 'among 1,000 users' '1,000,000 users' at-least 0.9 '1,000 users'
goal growth_list 'lists of 100 photos' 'lists of 10,000' at-least 0.67 'lists of 100'

# Makes a database of that many users, each with five photos that lie far apart, and of three more users with tokens:
# "three", "hundred" and "tenthousand", named after how many photos they have.
fill() { # server users
  start_selfie "$1"
  stop "$1"
  local name
  local -A digest
  for name in three hundred tenthousand; do
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
INSERT INTO photos (random_id, user_id, name, title, byte_count, content_type, created_at, updated_at, sha256)
  WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 5 * $2 - 1)
  SELECT printf('a%040d', i),
    CASE WHEN i IN (1, $2, 4 * $2) THEN $2 + 1 ELSE 1 + i % $2 END,
    'photo', 'a selfie', 1000, 'image/png', 1790000000000, 1790000000000, zeroblob(32) FROM n;
INSERT INTO photos (random_id, user_id, name, title, byte_count, content_type, created_at, updated_at, sha256)
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10100)
  SELECT printf('b%040d', i), CASE WHEN i <= 100 THEN $2 + 2 ELSE $2 + 3 END,
    'photo', 'a selfie', 1000, 'image/png', 1790000000000, 1790000000000, zeroblob(32) FROM n;
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

fill '1,000 users' 1000
fill '1,000,000 users' 1000000
for contender in '1,000 users' '1,000,000 users'; do
  url[$contender]="http://127.0.0.1:${port[$contender]}/api/get_photos"
  field[$contender]='Authorization: Token token=three'
  photos="$(curl -sf -H "${field[$contender]}" "${url[$contender]}" | grep -o '"random_id"' | wc -l)"
  [ "$photos" -eq 3 ] || { echo "$contender: $photos photos instead of three" >&2; exit 1; }
done
alternate growth 64 '1,000 users' '1,000,000 users'

photos_url="${url[1,000,000 users]}"
list() { # contender token photos round
  load 1 "$BENCH_SECONDS" "$photos_url" "Authorization: Token token=$2"
  record growth_list "$1" "$4" "$(awk "BEGIN { print $requests_per_second * $3 }")" 'photos/s'
}
# Two connections, each with a request every 4 ms.
others() { # contender round
  INTERVAL_MS=4 load 2 "$BENCH_SECONDS" "$photos_url" 'Authorization: Token token=three'
  record growth_p99 "$1" "$2" "$p99_ms" ms
}
for round in $(rounds); do
  list 'lists of 100' hundred 100 "$round"
  list 'lists of 10,000' tenthousand 10000 "$round"
done
for round in $(rounds); do
  others quiet "$round"
  load 2 $((BENCH_SECONDS + 2)) "$photos_url" 'Authorization: Token token=tenthousand' &
  crowd=$!
  sleep 1
  others '2 others list 10,000' "$round"
  wait "$crowd"
done
