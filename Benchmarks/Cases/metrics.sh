#!/usr/bin/env bash
# What METRICS costs: the rate of get_photos while each request is counted and the metrics are read every second, beside
# that of a server without metrics.
. "$(dirname "$0")/../lib.sh"

measure metrics 'get_photos, three photos, counted for metrics'
goal metrics 'the same without METRICS' metrics at-least 0.95 without

head -c 1000 /dev/urandom > "$folder/photo"
address="127.0.0.1:$(free_port)"
start_selfie without PASSWORD_COST=4
start_selfie metrics PASSWORD_COST=4 METRICS="$address"
for server in without metrics; do
  signup "$server" jo@example.com
  token="$(signin "$server" jo@example.com)"
  for n in 1 2 3; do upload "$server" "$token" "$folder/photo" >/dev/null; done
  url[$server]="http://127.0.0.1:${port[$server]}/api/get_photos"
  field[$server]="Authorization: Token token=$token"
done
spawn reader bash -c "while curl -sf -o '$folder/metrics.txt' http://$address/metrics; do sleep 1; done"
alternate metrics 64 without metrics
note "The metrics have $(wc -c < "$folder/metrics.txt") bytes."
