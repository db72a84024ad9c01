#!/usr/bin/env bash
# What the log's line for each request costs: into a file, and into a pipe that nobody reads.
. "$(dirname "$0")/../lib.sh"

measure logs 'get_photos with a line in the log for each request'
goal logs 'the same without (LOG_REQUESTS=off)' logged-to-file at-least 0.85 not-logged
goal logs 'the same without (LOG_REQUESTS=off)' logged-to-stalled-pipe at-least 0.85 not-logged

# The end of the pipe that is open here keeps the server's end from breaking. Nothing reads from it.
mkfifo "$folder/logged-to-stalled-pipe.log"
exec {pipe}<> "$folder/logged-to-stalled-pipe.log"

contenders=(not-logged logged-to-file logged-to-stalled-pipe)
head -c 1000 /dev/urandom > "$folder/photo"
for contender in "${contenders[@]}"; do
  requests=on
  [ "$contender" != not-logged ] || requests=off
  start_selfie "$contender" PASSWORD_COST=4 LOG_LEVEL=info LOG_REQUESTS=$requests
  signup "$contender" jo@example.com
  token="$(signin "$contender" jo@example.com)"
  for _ in 1 2 3; do upload "$contender" "$token" "$folder/photo" > "$folder/id"; done
  url[$contender]="http://127.0.0.1:${port[$contender]}/api/get_photos"
  field[$contender]="Authorization: Token token=$token"
done
alternate logs 64 "${contenders[@]}"

# All of the file's lines are there, and each is one line.
stop logged-to-file
lines="$(wc -l < "$folder/logged-to-file.log")"
dropped="$(awk -F 'count=' '/lines of the log were dropped/ { sum += $2 } END { print sum + 0 }' \
  "$folder/logged-to-file.log")"
note "logs: the file has $lines lines; $dropped were dropped."
if grep -vE '^[0-9T:.-]{23}Z (info|notice|warning) ' "$folder/logged-to-file.log" >&2; then
  echo "These lines of the log are no lines." >&2
  exit 1
fi
