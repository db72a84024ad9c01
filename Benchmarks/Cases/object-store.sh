#!/usr/bin/env bash
# Objects of 300 KB and 8 MB, sixteen at once, put and got through ObjectStore and by a bare loop of libcurl. The store is
# nginx with WebDAV, which checks no signatures: any other would be slower than its clients.
. "$(dirname "$0")/../lib.sh"

cases=(put_300k 'Objects of 300 KB put into a store' get_300k 'Objects of 300 KB got from a store'
  put_8m 'Objects of 8 MB put into a store' get_8m 'Objects of 8 MB got from a store')
for ((index = 0; index < ${#cases[@]}; index += 2)); do
  measure "object_${cases[index]}" "${cases[index + 1]}"
  goal "object_${cases[index]}" 'a bare loop of libcurl' selfie-server at-least 0.8 libcurl
done

start_webdav

# One run. Sets $rate.
run() { # store|libcurl put_300k|... seconds
  local size=300000
  [ "${2#*_}" = 300k ] || size=8000000
  read -r rate _ <<< "$("$BENCH_TOOLS/object-store" "http://127.0.0.1:${port[nginx]}" selfies us-east-1 \
    id secret "$1" "${2%_*}" "$size" 16 "$3")"
}

for ((index = 0; index < ${#cases[@]}; index += 2)); do
  name="${cases[index]}"
  for contender in store libcurl; do run "$contender" "$name" 1; done
  for round in $(rounds); do
    run store "$name" "$BENCH_SECONDS"
    record "object_$name" selfie-server "$round" "$rate" requests/s
    run libcurl "$name" "$BENCH_SECONDS"
    record "object_$name" libcurl "$round" "$rate" requests/s
  done
done
