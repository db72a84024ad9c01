#!/usr/bin/env bash
# selfie-server-cluster with PostgreSQL and an object store. get_photos is compared with pgbench, which runs the same
# statements on as many connections, and the processor time of requests is measured in the server and in PostgreSQL. The
# store is nginx with WebDAV, which checks no signatures. bin/bench runs this only if it is named, since it needs
# PostgreSQL.
. "$(dirname "$0")/../lib.sh"
. "$here/lib/postgresql.sh"

measure cluster_get_photos 'get_photos on PostgreSQL, three photos'
measure cluster_signin 'Sign-ins on PostgreSQL, bcrypt cost 4, 16 at once'
measure cluster_upload 'Uploads of 300 KB to an object store, 16 at once'
measure cluster_download 'A photo of 300 KB from an object store, 16 at once'
goal cluster_get_photos 'pgbench, the same statements' selfie-server at-least 0.5 pgbench
for name in get_photos signin upload download; do goal_before "cluster_$name"; done
for name in get_photos signin upload download; do
  measure "cluster_${name}_time" "Processor time of ${name/_/ } in a cluster"
done

BENCH_SERVER="$("$BENCH_ROOT/bin/build" selfie-server-cluster)"
if [ -n "${BENCH_BEFORE:-}" ]; then BENCH_BEFORE="$("$BENCH_BEFORE_ROOT/bin/build" selfie-server-cluster)"; fi
start_postgresql
start_webdav
head -c 300000 /dev/urandom > "$folder/photo"
multipart "$folder/photo" > "$folder/multipart"
account jack@example.com > "$folder/account"
declare -A photo=()
for server in "${selfies[@]}"; do
  sql -c "CREATE ROLE \"$server\" LOGIN" -c "CREATE DATABASE \"$server\" OWNER \"$server\""
  start_selfie "$server" PASSWORD_COST=4 DATABASE_URL="postgres://$server@/$server?host=$database" \
    S3_ENDPOINT="http://127.0.0.1:${port[nginx]}" S3_BUCKET=selfies S3_REGION=us-east-1 S3_ACCESS_KEY_ID=id \
    S3_SECRET_ACCESS_KEY=secret
  signup "$server" jo@example.com
  token="$(signin "$server" jo@example.com)"
  field[$server]="Authorization: Token token=$token"
  for n in 1 2 3; do photo[$server]="$(upload "$server" "$token" "$folder/photo")"; done
  # Another one signs in, because of more than 255 tokens the oldest ones end.
  signup "$server" jack@example.com
  sql -d "$server" -c 'VACUUM ANALYZE'
done

# The server's own statements, with the token of the same user.
digest="$(sql -d selfie-server -c "SELECT encode(digest, 'hex') FROM tokens WHERE user_id = 1 LIMIT 1")"
cat > "$folder/get_photos.sql" <<SQL
SELECT tokens.*, (SELECT disabled_at FROM users WHERE id = user_id) FROM tokens WHERE digest = '\\x$digest'::bytea;
SELECT id, name, title, created_at, updated_at, random_id FROM photos WHERE user_id = 1 AND id > 0 ORDER BY id LIMIT 201;
SQL
[ "$(sql -d selfie-server -f "$folder/get_photos.sql" | wc -l)" -eq 4 ]

# Microseconds of processor time that a process and its children have had, also those that have ended.
processor_time() { # name
  local process="${pid[$1]}" child
  for child in "$process" $(cat "/proc/$process/task/$process/children"); do
    sed 's/.*) //' "/proc/$child/stat" 2>/dev/null || true
  done | awk -v ticks="$(getconf CLK_TCK)" '{ sum += $12 + $13 + $14 + $15 } END { printf "%d\n", sum / ticks * 1e6 }'
}

# One run of wrk. Records the rate and, of this server, the processor time of a request.
measure_load() { # name server round connections path [field ...]
  local name="$1" server="$2" round="$3" connections="$4" path="$5" own postgresql
  shift 5
  own="$(processor_time "$server")" postgresql="$(processor_time postgresql)"
  load "$connections" "$BENCH_SECONDS" "http://127.0.0.1:${port[$server]}$path" "$@"
  record "cluster_$name" "$server" "$round" "$requests_per_second" requests/s
  [ "$server" = selfie-server ] || return 0
  record_time "$name" "$round" selfie-server "$(($(processor_time "$server") - own))"
  record_time "$name" "$round" postgresql "$(($(processor_time postgresql) - postgresql))"
}

record_time() { # name round contender microseconds
  record "cluster_$1_time" "$3" "$2" "$(awk "BEGIN { printf \"%.1f\", $4 / $requests }")" µs
}

as_api="Authorization: Basic $(printf %s "$basic" | base64 -w 0)"
for round in $(rounds); do
  postgresql="$(processor_time postgresql)"
  requests_per_second="$(pgbench_rate "$folder/get_photos.sql" 4 2 selfie-server)"
  # It runs for as long as it is told.
  requests="$(awk "BEGIN { print $requests_per_second * $BENCH_SECONDS }")"
  record cluster_get_photos pgbench "$round" "$requests_per_second" requests/s
  record_time get_photos "$round" "PostgreSQL of pgbench" "$(($(processor_time postgresql) - postgresql))"
  for server in "${selfies[@]}"; do
    measure_load get_photos "$server" "$round" 64 /api/get_photos "${field[$server]}"
    METHOD=POST BODY_FILE="$folder/account" measure_load signin "$server" "$round" 16 /api/signin "$json" "$as_api"
    METHOD=POST BODY_FILE="$folder/multipart" measure_load upload "$server" "$round" 16 /api/upload_photo \
      "${field[$server]}" "$multipart_field"
    measure_load download "$server" "$round" 16 "/photos/${photo[$server]}"
    # The list is as short in the next round.
    sql -d "$server" -c 'DELETE FROM photos WHERE id > 3' -c 'VACUUM ANALYZE'
  done
done
