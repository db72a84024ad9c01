# Requests to selfie-server with curl.

basic="$API_AUTH_NAME:$API_AUTH_PASSWORD"
json='Content-Type: application/json'
password="$("$BENCH_SERVER" encrypt secret12)"

member() { sed -E "s/.*\"$1\":\"([^\"]*)\".*/\1/"; }

# The body of signup and signin.
account() { # email
  printf '{"full_name":"Jo Smith","email":"%s","password":"%s"}' "$1" "$password"
}

signup() { # server email
  curl -sf -o "$folder/answer" -u "$basic" -H "$json" -d "$(account "$2")" \
    "http://127.0.0.1:${port[$1]}/api/signup"
}

# Prints a token.
signin() { # server email
  curl -sf -u "$basic" -H "$json" -d "$(account "$2")" "http://127.0.0.1:${port[$1]}/api/signin" |
    member api_authtoken
}

# Prints the photo's id.
upload() { # server token file
  curl -sf -H "Authorization: Token token=$2" -F "image=@$3" -F "title=a selfie" \
    "http://127.0.0.1:${port[$1]}/api/upload_photo" | member random_id
}

# Uploads a photo to a peer, which takes the bare bytes, and prints the photo's id.
upload_to_peer() { # peer file
  curl -sf -H 'Authorization: Token token=peer' -H 'Content-Type: application/octet-stream' -H 'Expect:' \
    --data-binary "@$2" "http://127.0.0.1:${port[$1]}/api/upload_photo" | member random_id
}

# The multipart body of the iOS client, and the header field that goes with it.
boundary=---------------------------14737809831466499882746641449
multipart_field="Content-Type: multipart/form-data; boundary=$boundary"
multipart() { # file
  printf -- '--%s\r\nContent-Disposition: attachment; name="image"; filename="photo"\r\n' "$boundary"
  printf 'Content-Type: application/octet-stream\r\n\r\n'
  cat "$1"
  printf '\r\n--%s\r\nContent-Disposition: form-data; name="title"\r\n\r\na selfie' "$boundary"
  printf '\r\n--%s--\r\n' "$boundary"
}
