#!/usr/bin/env bash
# What tests wait for: a server in their own process, a server in another process, and a reset of that one.
. "$(dirname "$0")/../lib.sh"

measure in_process 'A server in the process of a test: start, a user, an exchange, stop'
goal in_process '' selfie-server below 20
measure ephemeral_start 'From the start of serve --ephemeral to the first answer'
goal ephemeral_start '' selfie-server below 50
measure reset 'A reset, with 100 users'
goal reset '' selfie-server below 5

package="$BENCH_ROOT/Benchmarks/InProcess"
swift build -c release --package-path "$package" --scratch-path "$BENCH_FOLDER/in-process" >&2
round=0
for time in $("$BENCH_FOLDER/in-process/release/in-process-servers" 50); do
  record in_process selfie-server $((round += 1)) "$time" ms
done

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
