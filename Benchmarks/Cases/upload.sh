#!/usr/bin/env bash
# Photos of 1 MB, sixteen at once, each on the disk before its response.
. "$(dirname "$0")/../lib.sh"

measure upload 'Uploads of 1 MB, 16 at once'
goal upload 'files written, fsynced and renamed by 16 threads' selfie-server at-least 0.8 durable-write
goal upload 'Rust, one fsync, no multipart' selfie-server at-least 1 rust
goal upload "nginx's PUT, no fsync, no multipart" selfie-server at-least 1 nginx
goal upload 'Go net/http, one fsync, no multipart' selfie-server at-least 1 go
goal_before upload

note "upload: the peers take a photo's bare bytes, and fsync the file but not its folder. nginx syncs nothing."

for server in "${selfies[@]}"; do
  start_selfie "$server" PASSWORD_COST=4
done
contenders=(durable-write "${selfies[@]}")
for peer in "${peers[@]}"; do
  if start_peer "$peer"; then contenders+=("$peer"); fi
done
mkdir -p "$folder/durable-write" "$folder/nginx/photos"
# Each photo gets a name of its own.
start_nginx <<END
location = /api/upload_photo {
  alias "$folder/nginx/photos/\$request_id";
  dav_methods PUT;
  client_max_body_size 16m;
}
END
contenders+=(nginx)
head -c 1000000 /dev/urandom > "$folder/photo"
multipart "$folder/photo" > "$folder/multipart"

users=0
# One run. Sets $requests_per_second.
run() { # contender seconds
  local method email token
  local target="http://127.0.0.1:${port[$1]:-}/api/upload_photo"
  case "$1" in
    durable-write) requests_per_second="$("$BENCH_TOOLS/durable-write" "$folder/durable-write" "$2" 16 1000000)" ;;
    selfie-server | before)
      # A user has 10,000 photos at most.
      email="jo$((users += 1))@example.com"
      signup "$1" "$email"
      token="$(signin "$1" "$email")"
      METHOD=POST BODY_FILE="$folder/multipart" load 16 "$2" "$target" "Authorization: Token token=$token" \
        "$multipart_field"
      ;;
    *)
      if [ "$1" = nginx ]; then method=PUT; else method=POST; fi
      METHOD=$method BODY_FILE="$folder/photo" \
        load 16 "$2" "$target" 'Authorization: Token token=peer' 'Content-Type: application/octet-stream'
      ;;
  esac
  # Empties the files, which would fill the disk, but keeps them: without a journal, ext4 looks through those deleted in
  # the last five minutes for each new one. The next run begins when the disk is idle.
  find "$folder/$1" -path '*/photos/*' -type f -exec truncate -s 0 {} +
  sync -f "$folder"
}

for contender in "${contenders[@]}"; do run "$contender" 1; done
# In a new order each round: what a contender leaves in the page cache would always slow the same ones down.
for round in $(rounds); do
  for contender in $(shuf -e "${contenders[@]}"); do
    run "$contender" "$BENCH_SECONDS"
    record upload "$contender" "$round" "$requests_per_second" 'uploads/s'
  done
done
