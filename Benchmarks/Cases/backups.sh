#!/usr/bin/env bash
# What backups of 20,000 photos of 200 KB cost: what the second one writes after 100 new photos, and how long it takes; the room
# that eleven take; and what clients notice of one. BENCH_BACKUP_PHOTOS is another number of photos.
. "$(dirname "$0")/../lib.sh"

photos="${BENCH_BACKUP_PHOTOS:-20000}" new=100 bytes=200000 kept=11
measure backup_seconds "A backup of $photos photos, of which $new are new"
measure backup_bytes 'What it writes'
measure backups_room "Room for $kept backups"
measure backup_p99 'p99 of get_photos, 500/s, beside backups'
goal backup_seconds '' selfie-server always-below 5
goal backup_bytes 'the new photos and the database' written at-most 1.05 new
goal backups_room 'one copy of the storage' backups at-most 1.05 storage
goal backup_p99 '' 'beside backups' always-below 5

store="$folder/selfie-server" place="$folder/backups"
mkdir "$place"
head -c "$bytes" /dev/urandom > "$folder/photo"
sha256="$(sha256sum < "$folder/photo" | cut -d' ' -f1)"

# Adds photos of another user, by SQL: their uploads would take longer than all that is measured. Each has a file of its own.
add_photos() { # first count
  sqlite3 "$store/selfie.sqlite3" > "$folder/fill.out" <<END
PRAGMA synchronous = OFF;
BEGIN;
INSERT INTO photos (random_id, user_id, name, title, byte_count, content_type, created_at, updated_at, sha256)
  WITH RECURSIVE n(i) AS (SELECT $1 UNION ALL SELECT i + 1 FROM n WHERE i < $1 + $2 - 1)
  SELECT char(97 + i % 26, 97 + i / 26 % 26, 97 + i / 676 % 26, 97 + i / 17576 % 26) ||
      'abcdefghijklmnopqrstuvwxyzabcdefghijk',
    2, 'photo', 'a selfie', $bytes, 'image/png', 1790000000000, 1790000000000, x'$sha256' FROM n;
SELECT sum(writefile('$store/photos/' || substr(random_id, 1, 2) || '/' || random_id, bytes))
  FROM photos, (SELECT readfile('$folder/photo') AS bytes) WHERE user_id = 2 AND id > (SELECT max(id) FROM photos) - $2;
COMMIT;
PRAGMA wal_checkpoint(TRUNCATE);
END
  chmod -R go= "$store/photos"
}

# The server makes it, so that what it writes can be counted.
back_up() { BACKUP_DIR="$place" STORAGE_DIR="$store" "$BENCH_SERVER" backup > "$folder/backup.out"; }
keep_backing_up() { while back_up; do :; done; }
written() { awk '$1 == "wchar:" { print $2 }' "/proc/${pid[selfie-server]}/io"; }
size() { du -sb "$@" | awk '{ sum += $1 } END { print sum / 1e6 }'; }
start_with_backups() { start_selfie selfie-server PASSWORD_COST=4 BACKUP_DIR="$place" BACKUP_KEEP=100; }

start_selfie selfie-server PASSWORD_COST=4
for name in jo other; do signup selfie-server "$name@example.com"; done
token="$(signin selfie-server jo@example.com)"
for n in 1 2 3; do upload selfie-server "$token" "$folder/photo" > "$folder/id"; done
stop selfie-server
add_photos 0 "$photos"
start_with_backups
# After the automatic one.
back_up
stop selfie-server

add_photos "$photos" "$new"
start_with_backups
before="$(written)" start="$(date +%s.%N)"
back_up
record backup_seconds selfie-server 1 "$(awk "BEGIN { print $(date +%s.%N) - $start }")" s
record backup_bytes written 1 "$(awk "BEGIN { print ($(written) - $before) / 1e6 }")" MB
database="$(size "$store/selfie.sqlite3")"
record backup_bytes new 1 "$(awk "BEGIN { print $new * $bytes / 1e6 + $database }")" MB

while [ "$(find "$place" -mindepth 2 -maxdepth 2 -name '2*' | wc -l)" -lt "$kept" ]; do back_up; done
record backups_room backups 1 "$(size "$place")" MB
record backups_room storage 1 "$(size "$store/photos" "$store/selfie.sqlite3")" MB

for round in $(rounds); do
  for contender in quiet 'beside backups'; do
    if [ "$contender" != quiet ]; then spawn backups keep_backing_up; fi
    INTERVAL_MS=4 load 2 "$BENCH_SECONDS" "http://127.0.0.1:${port[selfie-server]}/api/get_photos" \
      "Authorization: Token token=$token"
    record backup_p99 "$contender" "$round" "$p99_ms" ms
    stop backups
  done
done
