#!/usr/bin/env bash
# Lists of photos that are read while others upload and delete photos and end tokens. A list is kept until something of its
# user changes, and each one is checked against the writes that were acknowledged before it was asked for.
. "$(dirname "$0")/../lib.sh"

rates=(1 10 100 1000)
for rate in "${rates[@]}"; do
  measure "lists_$rate" "Lists read beside $rate writes a second"
  goal_before "lists_$rate"
done

for server in "${selfies[@]}"; do start_selfie "$server" PASSWORD_COST=4; done
api="$(printf %s "$basic" | base64 -w 0)"
for round in $(rounds); do
  for rate in "${rates[@]}"; do
    for server in "${selfies[@]}"; do
      # It fails if a list is wrong. The writes may be fewer where the disk is slow.
      read -r lists _ writes _ <<< "$("$BENCH_TOOLS/list-checker" "${port[$server]}" "$api" "$password" "$rate" \
        "$BENCH_SECONDS")"
      record "lists_$rate" "$server" "$round" "$lists" lists/s
      echo "$server: $writes" >> "$folder/writes.$rate"
    done
  done
done
note "lists_1000: at most $(sed 's/.*: //' "$folder/writes.1000" | sort -n | tail -1) writes a second were made."
