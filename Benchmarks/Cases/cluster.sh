#!/usr/bin/env bash
# selfie-server-cluster with PostgreSQL and an object store. get_photos is compared with pgbench, which runs the same
# statement on as many connections, and the processor time of requests is measured in the server and in PostgreSQL. The
# store is nginx with WebDAV, which checks no signatures. bin/bench runs this only if it is named, since it needs
# PostgreSQL.
. "$(dirname "$0")/../lib.sh"
. "$here/lib/postgresql.sh"

measure cluster_get_photos 'get_photos on PostgreSQL, three photos'
measure cluster_upload 'Uploads of 300 KB to an object store, 16 at once'
goal cluster_get_photos 'pgbench, the same statement' selfie-server at-least 0.6 pgbench
for name in get_photos signin upload download; do
  measure "cluster_${name}_time" "Processor time of ${name/_/ } in a cluster"
done

BENCH_SERVER="$("$BENCH_ROOT/bin/build" selfie-server-cluster)"
start_postgresql
sql -c 'CREATE ROLE selfie LOGIN' -c 'CREATE DATABASE selfie OWNER selfie'
start_webdav
start_selfie selfie-server PASSWORD_COST=10 DATABASE_URL="postgres://selfie@/selfie?host=$database" \
  S3_ENDPOINT="http://127.0.0.1:${port[nginx]}" S3_BUCKET=selfies S3_REGION=us-east-1 S3_ACCESS_KEY_ID=id \
  S3_SECRET_ACCESS_KEY=secret
signup selfie-server jo@example.com
token="$(signin selfie-server jo@example.com)"
head -c 300000 /dev/urandom > "$folder/photo"
for n in 1 2 3; do photo="$(upload selfie-server "$token" "$folder/photo")"; done
multipart "$folder/photo" > "$folder/multipart"
# Another one signs in, because of more than 255 tokens the oldest ones end.
signup selfie-server jack@example.com
account jack@example.com > "$folder/account"
sql -d selfie -c 'VACUUM ANALYZE'

# The server's own statement, with the token of the same user.
digest="$(sql -d selfie -c "SELECT encode(digest, 'hex') FROM tokens WHERE user_id = 1 LIMIT 1")"
{
  sed -n '/SELECT photos.id/,/ORDER BY photos.id/p' "$BENCH_ROOT/Sources/SelfieAPI/Photos/TokenStore+PostgreSQL.swift" |
    sed -e 's/\$1/1/' -e 's/\$2/201/' -e "s/\\\$3/'\\\\x$digest'::bytea/" | tr '\n' ' '
  echo ';'
} > "$folder/get_photos.sql"
[ "$(sql -d selfie -f "$folder/get_photos.sql" | wc -l)" -eq 3 ]
# Two event loops, and two connections of each that read.
connections="$(sql -d selfie -c "SELECT count(*) FROM pg_stat_activity WHERE usename = 'selfie'")"
note "cluster: the server keeps $connections connections to PostgreSQL; pgbench has 4."

# Microseconds of processor time that a process and its children have had, also those that have ended.
processor_time() { # name
  local process="${pid[$1]}" child
  for child in "$process" $(cat "/proc/$process/task/$process/children"); do
    sed 's/.*) //' "/proc/$child/stat" 2>/dev/null || true
  done | awk -v ticks="$(getconf CLK_TCK)" '{ sum += $12 + $13 + $14 + $15 } END { printf "%d\n", sum / ticks * 1e6 }'
}

# One run of wrk. Records the processor time of a request.
measure_load() { # name round connections url [field ...]
  local name="$1" round="$2" connections="$3" server postgresql
  shift 3
  server="$(processor_time selfie-server)" postgresql="$(processor_time postgresql)"
  load "$connections" "$BENCH_SECONDS" "$@"
  record_time "$name" "$round" selfie-server "$(($(processor_time selfie-server) - server))"
  record_time "$name" "$round" postgresql "$(($(processor_time postgresql) - postgresql))"
}

record_time() { # name round contender microseconds
  local requests="$requests_per_second * $BENCH_SECONDS"
  record "cluster_$1_time" "$3" "$2" "$(awk "BEGIN { printf \"%.1f\", $4 / ($requests) }")" µs
}

base="http://127.0.0.1:${port[selfie-server]}"
as_user="Authorization: Token token=$token"
for round in $(rounds); do
  postgresql="$(processor_time postgresql)"
  requests_per_second="$(pgbench_rate "$folder/get_photos.sql" 4 2 selfie)"
  record cluster_get_photos pgbench "$round" "$requests_per_second" requests/s
  record_time get_photos "$round" "PostgreSQL of pgbench" "$(($(processor_time postgresql) - postgresql))"
  measure_load get_photos "$round" 64 "$base/api/get_photos" "$as_user"
  record cluster_get_photos selfie-server "$round" "$requests_per_second" requests/s
  METHOD=POST BODY_FILE="$folder/account" measure_load signin "$round" 16 "$base/api/signin" "$json" \
    "Authorization: Basic $(printf %s "$basic" | base64 -w 0)"
  METHOD=POST BODY_FILE="$folder/multipart" measure_load upload "$round" 16 "$base/api/upload_photo" "$as_user" \
    "$multipart_field"
  record cluster_upload selfie-server "$round" "$requests_per_second" uploads/s
  measure_load download "$round" 16 "$base/photos/$photo"
  # The list is as short in the next round.
  sql -d selfie -c 'DELETE FROM photos WHERE id > 3' -c 'VACUUM ANALYZE'
done
