#!/usr/bin/env bash
# What a server does whose database has ten million users and fifty million photos, beside one with a thousand users.
# BENCH_USERS sets another number. Ten million take two hours and 40 GB, so that a complete run leaves this case out.
. "$(dirname "$0")/../lib.sh"
. "$here/lib/rows.sh"

users="${BENCH_USERS:-10000000}"
measure scale_fill 'Rows and files of five photos for each user'
measure scale_size 'Size of the database'
measure scale_start 'From the start to the first answer'
measure scale_get_photos 'get_photos, three photos'
measure scale_signin 'Sign-ins, PASSWORD_COST 4'
measure scale_upload 'Uploads of 1 KB, 16 at once'
measure scale_memory 'Memory after these requests'
measure scale_doctor 'doctor --quick'
measure scale_backup 'A backup to a pipe'

head -c 1000 /dev/urandom > "$folder/photo"
multipart "$folder/photo" > "$folder/multipart"
account crowd@example.com > "$folder/account"

# Runs a command. Sets $seconds.
timed() { # command...
  local began="$EPOCHREALTIME"
  "$@" > "$folder/answer"
  seconds="$(awk "BEGIN { printf \"%.2f\", $EPOCHREALTIME - $began }")"
}
command_of() { # server command...
  env -C "$BENCH_ROOT" STORAGE_DIR="$folder/$1" "$BENCH_SERVER" "${@:2}"
}
to_a_pipe() { command_of "$1" backup - | cat > /dev/null; }
filled() {
  fill "$1" "$2"
  link_photos "$1"
}

for count in 1000 "$users"; do
  name="$count users"
  timed filled "$name" "$count"
  record scale_fill "$name" 1 "$seconds" s
  record scale_size "$name" 1 "$(stat -c %s "$folder/$name/selfie.sqlite3" | awk '{ printf "%.1f\n", $1 / 1e6 }')" MB
  stop "$name"
  free="$(free_port)"
  times="$(env -C "$BENCH_ROOT" PORT="$free" STORAGE_DIR="$folder/$name" \
    "$BENCH_TOOLS/first-answer" "$BENCH_SERVER" "$free" "$BENCH_ROUNDS")"
  round=0
  for time in $times; do record scale_start "$name" $((round += 1)) "$time" ms; done
  start_selfie "$name" PASSWORD_COST=4 MAX_PHOTOS=1000000
  signup "$name" crowd@example.com
  url[$name]="http://127.0.0.1:${port[$name]}"
done

for round in $(rounds); do
  for name in '1000 users' "$users users"; do
    load 64 "$BENCH_SECONDS" "${url[$name]}/api/get_photos?" 'Authorization: Token token=three'
    record scale_get_photos "$name" "$round" "$requests_per_second" requests/s
    METHOD=POST BODY_FILE="$folder/account" load 64 "$BENCH_SECONDS" "${url[$name]}/api/signin" \
      "Authorization: Basic $(printf %s "$basic" | base64 -w0)" "$json"
    record scale_signin "$name" "$round" "$requests_per_second" sign-ins/s
    METHOD=POST BODY_FILE="$folder/multipart" load 16 "$BENCH_SECONDS" "${url[$name]}/api/upload_photo" \
      'Authorization: Token token=hundred' "$multipart_field"
    record scale_upload "$name" "$round" "$requests_per_second" uploads/s
  done
done
for name in '1000 users' "$users users"; do
  record scale_memory "$name" 1 "$(memory "$name" VmHWM)" MB
  timed command_of "$name" doctor --quick --json --max-findings 10
  record scale_doctor "$name" 1 "$seconds" s
  timed to_a_pipe "$name"
  record scale_backup "$name" 1 "$seconds" s
done
