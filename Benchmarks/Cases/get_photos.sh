#!/usr/bin/env bash
# The app's most frequent request: the list of a user's photos, with three photos and with a hundred.
. "$(dirname "$0")/../lib.sh"

measure get_photos 'get_photos, three photos'
measure get_photos_100 'get_photos, a hundred photos'
goal get_photos 'nginx `return 200` with the same bytes' selfie-server at-least 0.65 nginx
goal get_photos 'Rust, hyper and rusqlite' selfie-server at-least 1 rust
goal get_photos 'Go net/http' selfie-server at-least 3.5 go
goal get_photos 'Hummingbird' selfie-server at-least 6 hummingbird
goal get_photos_100 'Go net/http' selfie-server at-least 3 go
goal_before get_photos
goal_before get_photos_100

for server in "${selfies[@]}"; do start_selfie "$server" PASSWORD_COST=4; done
contenders=("${selfies[@]}")
for peer in "${peers[@]}"; do
  if start_peer "$peer"; then contenders+=("$peer"); fi
done
for contender in "${contenders[@]}"; do
  url[$contender]="http://127.0.0.1:${port[$contender]}/api/get_photos"
  field[$contender]='Authorization: Token token=peer'
done

# Creates a user with that many photos on each selfie-server.
head -c 1000 /dev/urandom > "$folder/photo"
user_with() { # photos
  local server token n
  for server in "${selfies[@]}"; do
    signup "$server" "with$1@example.com"
    token="$(signin "$server" "with$1@example.com")"
    for ((n = 0; n < $1; n++)); do upload "$server" "$token" "$folder/photo" >/dev/null; done
    field[$server]="Authorization: Token token=$token"
  done
}

# nginx sends the same bytes and header fields as selfie-server.
user_with 3
curl -sf -D "$folder/head" -o "$folder/body" -H "${field[selfie-server]}" "${url[selfie-server]}"
fields="$(tr -d '\r' < "$folder/head" | sed -n '/^[A-Z][A-Za-z-]*: /p' |
  sed -E '/^(Content-Type|Content-Length|Connection|Date|Server):/Id; s/^([^:]+): (.*)$/add_header \1 \x27\2\x27;/')"
start_nginx <<END
location = /api/get_photos {
  default_type 'application/json; charset=utf-8';
  $fields
  return 200 '$(cat "$folder/body")';
}
END
url[nginx]="http://127.0.0.1:${port[nginx]}/api/get_photos"
field[nginx]="${field[selfie-server]}"
curl -sf -H "${field[nginx]}" "${url[nginx]}" | cmp - "$folder/body"

# The responses differ in size, which readers of the results must know.
for contender in "${contenders[@]}"; do
  length="$(curl -sf -H "${field[$contender]}" "${url[$contender]}" | wc -c)"
  note "get_photos, three photos: $contender answers with $length bytes of JSON."
done
alternate get_photos 64 nginx "${contenders[@]}"
stop nginx

user_with 100
for peer in "${contenders[@]:${#selfies[@]}}"; do
  for ((n = 3; n < 100; n++)); do upload_to_peer "$peer" "$folder/photo" >/dev/null; done
done
alternate get_photos_100 64 "${contenders[@]}"
