#!/usr/bin/env bash
# What tests wait for: the start of a server, and a reset of it.
. "$(dirname "$0")/../lib.sh"

measure ephemeral_start 'From the start of serve --ephemeral to the first answer'
goal ephemeral_start '' selfie-server below 50
measure reset 'A reset, with 100 users'
goal reset '' selfie-server below 5

ephemeral_port="$(free_port)"
round=0
for time in $(PORT="$ephemeral_port" EPHEMERAL=on "$BENCH_TOOLS/first-answer" "$BENCH_SERVER" "$ephemeral_port" 10); do
  record ephemeral_start selfie-server $((round += 1)) "$time" ms
done

spawn selfie-server "$BENCH_SERVER" serve --ephemeral
wait_for selfie-server is_listening selfie-server
control="http://127.0.0.1:${port[selfie-server]}/__admin"
users="$(for number in $(seq 100); do
  printf '{"email":"user-%d@example.com","tokens":["token-%d"]},' "$number" "$number"
done)"
for round in $(seq 10); do
  curl -sf -o "$folder/answer" -H "$json" -d "{\"users\":[${users%,}]}" "$control/seed"
  seconds="$(curl -sf -o "$folder/answer" -w '%{time_total}' -X POST "$control/reset")"
  record reset selfie-server "$round" "$(awk "BEGIN { print $seconds * 1000 }")" ms
done
