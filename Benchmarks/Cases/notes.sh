#!/usr/bin/env bash
# The Notes app sends the user's password with each request. bcrypt takes a quarter of a second, so the server remembers
# which passwords were right: the time of the server for a list, by its own X-Runtime, and the rate of lists beside that
# of get_photos, whose credentials are a token.
. "$(dirname "$0")/../lib.sh"

measure notes_time 'notes.json, a hundred notes, known credentials'
measure notes_rate 'Lists of three, one connection'
goal notes_time 'half of the requests' median below 1
goal notes_time '99 of 100 requests' p99 below 1
goal notes_rate 'get_photos, three photos' notes.json at-least 0.5 get_photos

start_selfie selfie-server PASSWORD_COST=12
server="http://127.0.0.1:${port[selfie-server]}"
signup selfie-server jo@example.com
signup selfie-server jim@example.com
note_text="$(printf 'x%.0s' {1..200})"

# Makes notes, and prints the milliseconds that the server took for each request.
create_notes() { # email count
  curl -sf -o /dev/null -D - -u "$1:secret12" -d "token=token&note[title]=Milk&note[body]=$note_text" \
    "$server/notes.json?n=[1-$2]" | runtimes
}
runtimes() { tr -d '\r' | awk '$1 == "X-Runtime:" { print $2 * 1000 }'; }
percentile() { sort -n | awk -v share="$1" '{ times[NR] = $1 } END { print times[int((NR - 1) * share) + 1] }'; }

first="$(create_notes jo@example.com 100 | head -1)"
note "notes.json: the first request, whose password is not known yet, took $first ms."
create_notes jim@example.com 3 > "$folder/answer"

for round in $(rounds); do
  curl -sf -o /dev/null -D - -u jo@example.com:secret12 "$server/notes.json?token=token&n=[1-1000]" |
    runtimes > "$folder/times"
  record notes_time median "$round" "$(percentile 0.5 < "$folder/times")" ms
  record notes_time p99 "$round" "$(percentile 0.99 < "$folder/times")" ms
done

token="$(signin selfie-server jim@example.com)"
head -c 1000 /dev/urandom > "$folder/photo"
for n in 1 2 3; do upload selfie-server "$token" "$folder/photo" >/dev/null; done
url[notes.json]="$server/notes.json?token=token"
field[notes.json]="Authorization: Basic $(printf jim@example.com:secret12 | base64 -w0)"
url[get_photos]="$server/api/get_photos"
field[get_photos]="Authorization: Token token=$token"
alternate notes_rate 1 notes.json get_photos
