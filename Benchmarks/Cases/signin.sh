#!/usr/bin/env bash
# Sign-ins, 64 at once, beside the rate of bcrypt alone, and how much they slow down another user who lists photos.
. "$(dirname "$0")/../lib.sh"

measure signin 'Sign-ins, bcrypt cost 10'
measure signin_p99 'p99 of get_photos, 500/s, beside sign-ins'
goal signin 'bcrypt alone, a thread for each core' selfie-server at-least 0.95 bcrypt-alone
goal_before signin
goal signin_p99 'the same while nobody signs in' 'during sign-ins' at-most 5 quiet

# Other users sign in, because a user's oldest token ends when there are too many.
for server in "${selfies[@]}"; do
  start_selfie "$server" PASSWORD_COST=10
  signup "$server" crowd@example.com
done
signup selfie-server jo@example.com
token="$(signin selfie-server jo@example.com)"
head -c 1000 /dev/urandom > "$folder/photo"
for n in 1 2 3; do upload selfie-server "$token" "$folder/photo" >/dev/null; done
account crowd@example.com > "$folder/account"
# At least a hundred hashes, so that one more or less does not matter.
seconds=$((3 * BENCH_SECONDS + 1))

signins() { # server seconds
  METHOD=POST BODY_FILE="$folder/account" load 64 "$2" "http://127.0.0.1:${port[$1]}/api/signin" \
    "Authorization: Basic $(printf %s "$basic" | base64 -w0)" "$json"
  # Sign-ins that wait when wrk ends are still hashed. This one waits for all of them.
  signin "$1" crowd@example.com > "$folder/answer"
}
# Two connections, each with a request every 4 ms.
list_photos() { # contender round
  INTERVAL_MS=4 load 2 "$BENCH_SECONDS" "http://127.0.0.1:${port[selfie-server]}/api/get_photos" \
    "Authorization: Token token=$token"
  record signin_p99 "$1" "$2" "$p99_ms" ms
}

for server in "${selfies[@]}"; do signins "$server" 1; done
for round in $(rounds); do
  record signin bcrypt-alone "$round" "$("$BENCH_TOOLS/bcrypt-alone" "$seconds" 10)" 'sign-ins/s'
  for server in "${selfies[@]}"; do
    signins "$server" "$seconds"
    record signin "$server" "$round" "$requests_per_second" 'sign-ins/s'
  done
done
for round in $(rounds); do
  list_photos quiet "$round"
  signins selfie-server $((BENCH_SECONDS + 2)) &
  crowd=$!
  sleep 1
  list_photos 'during sign-ins' "$round"
  wait "$crowd"
done
