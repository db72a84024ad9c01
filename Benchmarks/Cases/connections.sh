#!/usr/bin/env bash
# Whether lists take longer with many keep-alive clients, a few of which ask at any moment, and how long they take when
# many more clients ask at once than keep the server busy.
. "$(dirname "$0")/../lib.sh"

measure keep_alive 'get_photos, 64 requests at any moment'
measure crowded 'get_photos, a request of each client at any moment'
measure crowded_p99 'p99 of get_photos, a request of each client at any moment'
goal keep_alive '64 clients' '10,000 clients' at-least 0.9 '64 clients'
goal keep_alive 'nginx with 64 clients' 'nginx with 10,000 clients' at-least 0.9 'nginx with 64 clients'
goal crowded '64 clients' '1,000 clients' at-least 0.95 '64 clients'
goal crowded_p99 '' '1,000 clients' always-below 50

start_selfie selfie-server PASSWORD_COST=4
signup selfie-server jo@example.com
token="$(signin selfie-server jo@example.com)"
head -c 1000 /dev/urandom > "$folder/photo"
for _ in 1 2 3; do upload selfie-server "$token" "$folder/photo" >/dev/null; done
curl -sf -o "$folder/body" -H "Authorization: Token token=$token" "http://127.0.0.1:${port[selfie-server]}/api/get_photos"
start_nginx <<END
location = /api/get_photos { return 200 '$(cat "$folder/body")'; }
END

# Sets $rate and $p99.
ask() { # server clients in-flight
  local p50 refused
  read -r rate p50 p99 refused < <(
    "$BENCH_TOOLS/keep-alive-clients" "${port[$1]}" "$2" "$3" "$BENCH_SECONDS" "$token")
  [ "$refused" = 0 ] || { echo "$1 refused $refused of $2 clients" >&2; return 1; }
}

for round in $(rounds); do
  ask selfie-server 64 64
  record keep_alive '64 clients' "$round" "$rate" requests/s
  record crowded '64 clients' "$round" "$rate" requests/s
  record crowded_p99 '64 clients' "$round" "$p99" ms
  ask selfie-server 10000 64
  record keep_alive '10,000 clients' "$round" "$rate" requests/s
  ask nginx 64 64
  record keep_alive 'nginx with 64 clients' "$round" "$rate" requests/s
  ask nginx 10000 64
  record keep_alive 'nginx with 10,000 clients' "$round" "$rate" requests/s
  for clients in 1,000 10,000; do
    ask selfie-server "${clients/,/}" "${clients/,/}"
    record crowded "$clients clients" "$round" "$rate" requests/s
    record crowded_p99 "$clients clients" "$round" "$p99" ms
  done
done
