#!/usr/bin/env bash
# Objects of 300 KB and 8 MB, sixteen at once, put and got through ObjectStore and by a bare loop of libcurl, which throws
# away what it gets; another loop copies it to memory, as every program must that uses it. The store is nginx with WebDAV,
# which checks no signatures: any other would be slower than its clients.
. "$(dirname "$0")/../lib.sh"

cases=(put_300k 'Objects of 300 KB put into a store' get_300k 'Objects of 300 KB got from a store'
  put_8m 'Objects of 8 MB put into a store' get_8m 'Objects of 8 MB got from a store')
for ((index = 0; index < ${#cases[@]}; index += 2)); do
  measure "object_${cases[index]}" "${cases[index + 1]}"
  goal "object_${cases[index]}" 'a bare loop of libcurl' selfie-server at-least 0.8 libcurl
done

start_webdav

# One run, which is recorded unless it has no round.
run() { # put_300k|... contender seconds [round]
  local size=300000 rate
  [ "${1#*_}" = 300k ] || size=8000000
  read -r rate _ <<< "$("$BENCH_TOOLS/object-store" "http://127.0.0.1:${port[nginx]}" selfies us-east-1 \
    id secret "$2" "${1%_*}" "$size" 16 "$3")"
  [ -z "${4:-}" ] || record "object_$1" "$2" "$4" "$rate" requests/s
}

for ((index = 0; index < ${#cases[@]}; index += 2)); do
  name="${cases[index]}"
  contenders=(selfie-server libcurl)
  [ "${name%_*}" = put ] || contenders+=(libcurl-keeping)
  for contender in "${contenders[@]}"; do run "$name" "$contender" 1; done
  for round in $(rounds); do
    for contender in "${contenders[@]}"; do run "$name" "$contender" "$BENCH_SECONDS" "$round"; done
  done
done
