#!/usr/bin/env bash
# Commits, each of which must reach the disk before the response: 64 at once share that wait. Sign-ups also hash a
# password, which limits them on a fast disk. Tokens of get_token are commits and nothing else.
. "$(dirname "$0")/../lib.sh"

measure signup 'Sign-ups, each on the disk'
goal signup 'one at a time' '64 at once' at-least 3 'one at a time'
measure tokens 'Tokens made, each on the disk'
goal tokens 'one at a time' '64 at once' at-least 3 'one at a time'

note "signup: bcrypt at its lowest cost takes most of a sign-up's time where the disk is quick; bcrypt-alone is its bound."

start_selfie selfie-server PASSWORD_COST=4
signup selfie-server jo@example.com
account '{n}@example.com' > "$folder/account"
basic_field="Authorization: Basic $(printf %s "$basic" | base64 -w0)"

signups() { # connections seconds
  METHOD=POST BODY_TEMPLATE="$folder/account" \
    load "$1" "$2" "http://127.0.0.1:${port[selfie-server]}/api/signup" "$basic_field" "$json"
}

tokens() { # connections seconds
  load "$1" "$2" "http://127.0.0.1:${port[selfie-server]}/api/get_token?email=jo@example.com" "$basic_field"
}

signups 64 1
for round in $(rounds); do
  for case in signup tokens; do
    "${case%s}s" 1 "$BENCH_SECONDS"
    record "$case" 'one at a time' "$round" "$requests_per_second" "${case%s}s/s"
    "${case%s}s" 64 "$BENCH_SECONDS"
    record "$case" '64 at once' "$round" "$requests_per_second" "${case%s}s/s"
  done
  record signup bcrypt-alone "$round" "$("$BENCH_TOOLS/bcrypt-alone" "$BENCH_SECONDS" 4)" 'signups/s'
done
