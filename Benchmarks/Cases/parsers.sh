#!/usr/bin/env bash
# What the worst inputs cost the server's parsers: nanoseconds of processor time for each byte that a client sends, how
# that grows with the input, and the time of the event loop once the last piece of a request has come. Fails if an input
# costs too much.
. "$(dirname "$0")/../lib.sh"

measure parser_cost 'The costliest input of a parser, for each byte'
goal parser_cost '' selfie-server below 200
measure parser_growth 'A byte of a longer input, as against one of a shorter input'
goal parser_growth '' selfie-server below 2
measure parser_loop 'The time of an event loop after the last piece of 1 MB of the worst input'
goal parser_loop '' selfie-server below 1
measure parser_processor 'The processor time of one request, whose worst field or target has been filled'
goal parser_processor '' selfie-server below 1.5
measure json_escaping 'JSON of a text, each letter of which is escaped, by one thread'
goal json_escaping '' selfie-server at-least 0.5

# The limit on failures is off: it would refuse most inputs of a family before they are looked at. This machine counts as
# a proxy, so that addresses are parsed too.
start_selfie selfie-server PASSWORD_COST=4 RATE_LIMIT=off TRUSTED_PROXIES=127.0.0.1
signup selfie-server jo@example.com
token="$(signin selfie-server jo@example.com)"
head -c 100000 /dev/urandom > "$folder/photo"
photo="$(upload selfie-server "$token" "$folder/photo")"

table="$BENCH_FOLDER/parsers.tsv"
"$BENCH_TOOLS/parser-worst-cases" "${port[selfie-server]}" "${pid[selfie-server]}" "$(printf %s "$basic" | base64 -w0)" \
  "$token" "$photo" "${BENCH_SEARCH_SECONDS:-60}" > "$table"
column -t -s $'\t' "$table" >&2

# The input with the highest value of a column: NAME<tab>VALUE.
worst() { # column
  awk -F '\t' -v column="$1" '$column + 0 >= high { high = $column + 0; name = $1 } END { print name "\t" high }' "$table"
}
costs=(parser_cost 3 ns parser_growth 4 times parser_loop 5 ms parser_processor 6 ms)
for ((index = 0; index < ${#costs[@]}; index += 3)); do
  IFS=$'\t' read -r name value <<< "$(worst "${costs[index + 1]}")"
  record "${costs[index]}" selfie-server 1 "$value" "${costs[index + 2]}"
  note "${costs[index]}: the worst input was $name."
done
record json_escaping selfie-server 1 "$("$BENCH_TOOLS/json-escaping")" GB/s
awk -F '\t' '$3 >= 200 || $4 >= 2 || $5 >= 1 || $6 >= 1.5 { print "too costly: " $0; failed = 1 } END { exit failed }' "$table" >&2
