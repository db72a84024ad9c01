#!/usr/bin/env bash
# Sign-ups, each of which waits until it is on the disk: 64 at once share that wait.
. "$(dirname "$0")/../lib.sh"

measure signup 'Sign-ups, each on the disk'
goal signup 'one at a time' '64 at once' at-least 3 'one at a time'

# The least that bcrypt allows: it is the commits that are measured.
start_selfie selfie-server PASSWORD_COST=4
account '{n}@example.com' > "$folder/account"
basic_field="Authorization: Basic $(printf %s "$basic" | base64 -w0)"

signups() { # connections seconds
  METHOD=POST BODY_FILE="$folder/account" \
    load "$1" "$2" "http://127.0.0.1:${port[selfie-server]}/api/signup" "$basic_field" "$json"
}

signups 64 1
for round in $(rounds); do
  signups 1 "$BENCH_SECONDS"
  record signup 'one at a time' "$round" "$requests_per_second" 'sign-ups/s'
  signups 64 "$BENCH_SECONDS"
  record signup '64 at once' "$round" "$requests_per_second" 'sign-ups/s'
done
