#!/usr/bin/env bash
# The time from the server's start, on an existing storage, to its first response.
. "$(dirname "$0")/../lib.sh"

measure start 'From the start to the first answer'
goal start '' selfie-server below 50

start_selfie selfie-server PASSWORD_COST=4
signup selfie-server jo@example.com
stop selfie-server

PORT="$(free_port)"
export PORT STORAGE_DIR="$folder/selfie-server"
times="$("$BENCH_TOOLS/first-answer" "$BENCH_SERVER" "$PORT" 10)"
round=0
for time in $times; do record start selfie-server $((round += 1)) "$time" ms; done
