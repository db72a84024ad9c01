#!/usr/bin/env bash
# The most frequent requests and handshakes over TLS, with a P-256 certificate and the same versions and ciphers as nginx.
. "$(dirname "$0")/../lib.sh"

measure tls_get_photos 'get_photos over TLS, three photos'
measure tls_download 'A photo of 200 KB over TLS'
measure tls_full 'Full TLS handshakes'
measure tls_resumed 'Resumed TLS handshakes'
goal tls_get_photos 'nginx `return 200` with the same bytes' selfie-server at-least 0.65 nginx
goal tls_download 'nginx with the same file' selfie-server at-least 0.9 nginx
goal tls_full 'nginx' selfie-server at-least 0.8 nginx
goal tls_resumed 'nginx' selfie-server at-least 0.8 nginx
for name in tls_get_photos tls_download tls_full tls_resumed; do goal_before "$name"; done

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=localhost \
  -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout "$folder/key.pem" -out "$folder/certificate.pem" 2>/dev/null
export CURL_CA_BUNDLE="$folder/certificate.pem"

# The users and photos are made without TLS, on the same storage.
head -c 200000 /dev/urandom > "$folder/photo"
declare -A photo=()
for server in "${selfies[@]}"; do
  start_selfie "$server" PASSWORD_COST=4
  signup "$server" jo@example.com
  token="$(signin "$server" jo@example.com)"
  for _ in 1 2 3; do id="$(upload "$server" "$token" "$folder/photo")"; done
  stop "$server"
  start_selfie "$server" PASSWORD_COST=4 TLS_CERTIFICATE="$folder/certificate.pem" TLS_KEY="$folder/key.pem"
  url[$server]="https://127.0.0.1:${port[$server]}/api/get_photos"
  field[$server]="Authorization: Token token=$token"
  photo[$server]="https://127.0.0.1:${port[$server]}/photos/$id"
done
id="${photo[selfie-server]##*/}"

curl -sf -D "$folder/head" -o "$folder/body" -H "${field[selfie-server]}" "${url[selfie-server]}"
fields="$(tr -d '\r' < "$folder/head" | sed -n '/^[A-Z][A-Za-z-]*: /p' |
  sed -E '/^(Content-Type|Content-Length|Connection|Date|Server):/Id; s/^([^:]+): (.*)$/add_header \1 \x27\2\x27;/')"
path="$(find "$folder/selfie-server/photos" -name "$id")"
nginx_tls="ssl_certificate $folder/certificate.pem; ssl_certificate_key $folder/key.pem;
  ssl_protocols TLSv1.2 TLSv1.3; ssl_ciphers ECDHE+AESGCM:ECDHE+CHACHA20; ssl_session_tickets on;"
start_nginx <<END
location = /api/get_photos {
  default_type 'application/json; charset=utf-8';
  $fields
  return 200 '$(cat "$folder/body")';
}
location = /photo { default_type image/png; alias $path; }
END

contenders=(nginx "${selfies[@]}")
url[nginx]="https://127.0.0.1:${port[nginx]}/api/get_photos"
field[nginx]="${field[selfie-server]}"
curl -sf "${url[nginx]}" | cmp - "$folder/body"
alternate tls_get_photos 64 "${contenders[@]}"

for server in "${selfies[@]}"; do url[$server]="${photo[$server]}"; done
url[nginx]="https://127.0.0.1:${port[nginx]}/photo"
for contender in "${contenders[@]}"; do curl -sf "${url[$contender]}" | cmp - "$folder/photo"; done
alternate tls_download 64 "${contenders[@]}"

for kind in full resumed; do
  for round in $(rounds); do
    for contender in "${contenders[@]}"; do
      rate="$("$BENCH_TOOLS/tls-handshakes" "${port[$contender]}" "$BENCH_SECONDS" 8 "$kind")"
      record "tls_$kind" "$contender" "$round" "$rate" 'handshakes/s'
    done
  done
done
