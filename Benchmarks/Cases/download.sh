#!/usr/bin/env bash
# A photo of 200 KB, and the response that it is not modified.
. "$(dirname "$0")/../lib.sh"

measure download 'A photo of 200 KB'
measure not_modified 'The same, not modified (304)'
goal download 'nginx `sendfile` of the same file' selfie-server at-least 0.95 nginx
goal download 'Rust, hyper' selfie-server at-least 1.15 rust
goal not_modified 'nginx `return 304`' selfie-server at-least 0.6 nginx
goal_before download
goal_before not_modified

head -c 200000 /dev/urandom > "$folder/photo"
for server in "${selfies[@]}"; do
  start_selfie "$server" PASSWORD_COST=4
  signup "$server" jo@example.com
  id="$(upload "$server" "$(signin "$server" jo@example.com)" "$folder/photo")"
  url[$server]="http://127.0.0.1:${port[$server]}/photos/$id"
  curl -sf "${url[$server]}" | cmp - "$folder/photo"
done
id="${url[selfie-server]##*/}"

contenders=("${selfies[@]}")
for peer in "${peers[@]}"; do
  start_peer "$peer" || continue
  url[$peer]="http://127.0.0.1:${port[$peer]}/photos/$(upload_to_peer "$peer" "$folder/photo")"
  curl -sf "${url[$peer]}" | cmp - "$folder/photo"
  contenders+=("$peer")
done

# nginx sends the file that selfie-server has stored.
path="$(find "$folder/selfie-server/photos" -name "$id")"
start_nginx <<END
location = /photo { default_type image/png; alias $path; }
location = /not-modified {
  add_header ETag '"$id"';
  add_header Cache-Control 'public, max-age=31536000, immutable';
  return 304;
}
END
url[nginx]="http://127.0.0.1:${port[nginx]}/photo"
for contender in nginx "${contenders[@]}"; do field[$contender]='Accept: */*'; done
alternate download 64 nginx "${contenders[@]}"

# The validator that each server has sent. The file servers of Go and Hummingbird send a date only.
validator() { # url
  curl -sf -o "$folder/answer" -D - "$1" | tr -d '\r' | awk '
    tolower($1) == "etag:" { tag = $2 }
    tolower($1) == "last-modified:" { sub(/^[^ ]* /, ""); date = $0 }
    END { if (tag) print "If-None-Match: " tag; else if (date) print "If-Modified-Since: " date }'
}
others=()
for contender in "${contenders[@]}"; do
  field[$contender]="$(validator "${url[$contender]}")"
  status="$(curl -s -o "$folder/answer" -w '%{http_code}' -H "${field[$contender]:-Accept: */*}" "${url[$contender]}")"
  if [ "$status" = 304 ]; then others+=("$contender"); else note "not_modified: $contender has no validator."; fi
done
field[nginx]="${field[selfie-server]}"
url[nginx]="http://127.0.0.1:${port[nginx]}/not-modified"
alternate not_modified 64 nginx "${others[@]}"
