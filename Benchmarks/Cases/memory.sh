#!/usr/bin/env bash
# How much memory the server's process uses: idle, with large uploads, and with many idle connections.
. "$(dirname "$0")/../lib.sh"

measure memory_idle 'Memory after one request'
measure memory_uploads 'Most memory of 64 uploads of 64 MB at once'
measure memory_connections 'Memory with 10,000 idle connections'
goal memory_idle '' selfie-server always-below 20
goal memory_uploads '' selfie-server always-below 64
goal memory_connections '' selfie-server always-below 120

for round in $(rounds); do
  start_selfie selfie-server PASSWORD_COST=4
  is_answering selfie-server
  record memory_idle selfie-server "$round" "$(memory selfie-server VmRSS)" MB
  stop selfie-server
done

# Each time these are 4 GB on the disk.
for round in $(rounds | head -3); do
  start_selfie selfie-server PASSWORD_COST=4
  signup selfie-server jo@example.com
  token="$(signin selfie-server jo@example.com)"
  "$BENCH_TOOLS/many-uploads" "${port[selfie-server]}" 64 64000000 "$token"
  record memory_uploads selfie-server "$round" "$(memory selfie-server VmHWM)" MB
  stop selfie-server
  rm -rf "$folder/selfie-server"
done

start_selfie selfie-server PASSWORD_COST=4
signup selfie-server jo@example.com
token="$(signin selfie-server jo@example.com)"
spawn idle "$BENCH_TOOLS/idle-connections" "${port[selfie-server]}" 10000 "$token"
wait_for idle grep -q ready "$folder/idle.out"
record memory_connections selfie-server 1 "$(memory selfie-server VmRSS)" MB
