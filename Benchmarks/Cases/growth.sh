#!/usr/bin/env bash
# Whether a user with three photos notices a million other users with five million photos, what a list of 10,000 photos
# costs, and how much it slows other users down.
. "$(dirname "$0")/../lib.sh"
. "$here/lib/rows.sh"

measure growth 'get_photos, three photos, among other users'
measure growth_list 'Photos listed, one request at a time'
measure growth_p99 'p99 of get_photos, 500/s, beside long lists'
goal growth 'among 1,000 users' '1,000,000 users' at-least 0.9 '1,000 users'
goal growth_list 'lists of 100 photos' 'lists of 10,000' at-least 0.67 'lists of 100'

fill '1,000 users' 1000
fill '1,000,000 users' 1000000
for contender in '1,000 users' '1,000,000 users'; do
  url[$contender]="http://127.0.0.1:${port[$contender]}/api/get_photos"
  field[$contender]='Authorization: Token token=three'
  photos="$(curl -sf -H "${field[$contender]}" "${url[$contender]}" | grep -o '"random_id"' | wc -l)"
  [ "$photos" -eq 3 ] || { echo "$contender: $photos photos instead of three" >&2; exit 1; }
done
alternate growth 64 '1,000 users' '1,000,000 users'

photos_url="${url[1,000,000 users]}"
list() { # contender token photos round
  load 1 "$BENCH_SECONDS" "$photos_url" "Authorization: Token token=$2"
  record growth_list "$1" "$4" "$(awk "BEGIN { print $requests_per_second * $3 }")" 'photos/s'
}
# Two connections, each with a request every 4 ms.
others() { # contender round
  INTERVAL_MS=4 load 2 "$BENCH_SECONDS" "$photos_url" 'Authorization: Token token=three'
  record growth_p99 "$1" "$2" "$p99_ms" ms
}
for round in $(rounds); do
  list 'lists of 100' hundred 100 "$round"
  list 'lists of 10,000' tenthousand 10000 "$round"
done
for round in $(rounds); do
  others quiet "$round"
  load 2 $((BENCH_SECONDS + 2)) "$photos_url" 'Authorization: Token token=tenthousand' &
  crowd=$!
  sleep 1
  others '2 others list 10,000' "$round"
  wait "$crowd"
done
