#!/usr/bin/env bash
# The app's most frequent request: the list of a user's photos, with three photos and with a hundred.
. "$(dirname "$0")/../lib.sh"

measure up 'GET /up'
measure get_photos 'get_photos, three photos'
measure get_photos_anew 'get_photos, three photos, read anew for each request'
measure get_photos_304 'get_photos, not modified (304)'
measure get_photos_100 'get_photos, a hundred photos'
goal get_photos 'nginx `return 200` with the same bytes' selfie-server at-least 0.8 nginx
goal get_photos 'Rust, hyper and rusqlite' selfie-server at-least 1.1 rust
goal get_photos 'Go net/http' selfie-server at-least 3.5 go
goal get_photos 'Hummingbird' selfie-server at-least 6 hummingbird
goal get_photos_anew 'Rust, hyper and rusqlite' selfie-server at-least 0.95 rust
goal get_photos_304 'nginx `return 304`' selfie-server at-least 0.8 nginx
goal up 'nginx `return 200` with the same bytes' selfie-server at-least 0.85 nginx
goal get_photos_100 'Go net/http' selfie-server at-least 3 go
for name in up get_photos get_photos_anew get_photos_304; do goal_before "$name"; done
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
root="http://127.0.0.1:${port[selfie-server]}"
response() { # file path
  curl -sf -D "$folder/head" -o "$folder/$1" -H "${field[selfie-server]}" "$root$2"
  fields="$(tr -d '\r' < "$folder/head" | sed -n '/^[A-Z][A-Za-z-]*: /p' |
    sed -E '/^(Content-Type|Content-Length|Connection|Date|Server):/Id; s/^([^:]+): (.*)$/add_header \1 \x27\2\x27;/')"
}
response up /up
fields_of_up="$fields"
response body /api/get_photos
start_nginx <<END
default_type 'application/json; charset=utf-8';
location = /as/up { $fields_of_up return 200 '$(cat "$folder/up")'; }
location = /api/get_photos { $fields return 200 '$(cat "$folder/body")'; }
location = /not-modified { $fields return 304; }
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

# Lists that are asked for with a query are not kept, so they are read as those of the peers are.
for server in "${selfies[@]}"; do url[$server]+='?'; done
alternate get_photos_anew 64 "${contenders[@]}"
for server in "${selfies[@]}"; do url[$server]="${url[$server]%\?}"; done

for server in "${selfies[@]}"; do
  tag="$(curl -sf -o /dev/null -D - -H "${field[$server]}" "${url[$server]}" | tr -d '\r' | sed -n 's/^ETag: //Ip')"
  second[$server]="If-None-Match: $tag"
done
url[nginx]="http://127.0.0.1:${port[nginx]}/not-modified"
alternate get_photos_304 64 nginx "${selfies[@]}"
second=()

for server in "${selfies[@]}"; do url[$server]="http://127.0.0.1:${port[$server]}/up" field[$server]='Accept: */*'; done
url[nginx]="http://127.0.0.1:${port[nginx]}/as/up" field[nginx]='Accept: */*'
alternate up 64 nginx "${selfies[@]}"
stop nginx
for server in "${selfies[@]}"; do url[$server]="http://127.0.0.1:${port[$server]}/api/get_photos"; done

user_with 100
for peer in "${contenders[@]:${#selfies[@]}}"; do
  for ((n = 3; n < 100; n++)); do upload_to_peer "$peer" "$folder/photo" >/dev/null; done
done
alternate get_photos_100 64 "${contenders[@]}"
