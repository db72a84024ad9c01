# The servers to compare. Each is started under a name and listens on ${port[NAME]}.

export API_AUTH_NAME=name API_AUTH_PASSWORD=20hWfR1QM75fFJ2mjQNHkslpEF9bXN0SiBzEqDB47QIxBmw9sTR9q0B7kiS16m7e
export RATE_LIMIT=off LOG_LEVEL=error

is_listening() { # name
  port[$1]="$(sed -n 's/^Listening on .*://p' "$folder/$1.out")"
  [ -n "${port[$1]}" ]
}

is_answering() { # name
  curl -sf -o "$folder/$1.up" "http${2:-}://127.0.0.1:${port[$1]}/up"
}

# The servers to measure: this one, and with `bin/bench --before` the one of another commit.
selfies=(selfie-server ${BENCH_BEFORE:+before})

# Starts selfie-server on the storage $folder/NAME, which remains when it stops. `before` is the other commit's.
start_selfie() { # name [SETTING=value ...]
  local name="$1" server="$BENCH_SERVER" root="$BENCH_ROOT"
  shift
  # Servers of older commits take the migrations of the folder in which they are started.
  if [ "$name" = before ]; then server="$BENCH_BEFORE" root="$BENCH_BEFORE_ROOT"; fi
  mkdir -p "$folder/$name"
  spawn "$name" env -C "$root" PORT=0 STORAGE_DIR="$folder/$name" "$@" "$server" serve
  wait_for "$name" is_listening "$name"
}

# Starts nginx with the `location` blocks from standard input. $nginx_tls: its directives for TLS, if it speaks that.
nginx_tls=
start_nginx() {
  port[nginx]="$(free_port)"
  mkdir -p "$folder/nginx"
  {
    # If root starts nginx, its workers run as a user who cannot read the photos.
    [ "$(id -u)" -ne 0 ] || echo "user root;"
    cat <<END
daemon off;
worker_processes auto;
pid $folder/nginx/pid;
error_log $folder/nginx/error.log;
worker_rlimit_nofile 16384;
events { worker_connections 12000; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  default_type application/octet-stream;
  client_body_temp_path $folder/nginx/body;
  proxy_temp_path $folder/nginx/proxy;
  fastcgi_temp_path $folder/nginx/fastcgi;
  uwsgi_temp_path $folder/nginx/uwsgi;
  scgi_temp_path $folder/nginx/scgi;
  server {
    listen 127.0.0.1:${port[nginx]} backlog=4096${nginx_tls:+ ssl};
    $nginx_tls
    location = /up { return 200 up; }
END
    cat
    printf '  }\n}\n'
  } > "$folder/nginx/nginx.conf"
  spawn nginx "$BENCH_NGINX" -c "$folder/nginx/nginx.conf" -p "$folder/nginx" -e "$folder/nginx/error.log"
  wait_for nginx is_answering nginx ${nginx_tls:+s}
}

# Starts nginx as an object store with the bucket `selfies`, which checks no signatures.
start_webdav() {
  mkdir -p "$folder/objects/selfies"
  start_nginx <<END
location /selfies/ {
  root $folder/objects;
  dav_methods PUT DELETE;
  create_full_put_path on;
  client_max_body_size 16m;
}
END
}

# Starts a peer. Fails silently if the peer was not built, which bin/bench has reported.
start_peer() { # name
  [ -x "$BENCH_PEERS/$1" ] || return 1
  port[$1]="$(free_port)"
  mkdir -p "$folder/$1"
  spawn "$1" "$BENCH_PEERS/$1" "${port[$1]}" "$folder/$1"
  wait_for "$1" is_answering "$1"
}

# All possible peers. Each is called `PEER PORT FOLDER`, starts with a new database with three photos, and accepts
# `Authorization: Token token=peer`.
peers=(go hummingbird hummingbird-shared rust)
