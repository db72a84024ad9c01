# A server of PostgreSQL, for the cases that need one.

postgres_programs="$(compgen -G '/usr/lib/postgresql/*/bin' | sort -V | tail -1)"

# It refuses to run as root, and its user may not enter the checkout, so its folder $database is elsewhere.
start_postgresql() { # settings, such as -c autovacuum=off
  local as_postgres=()
  database="$(mktemp -d)"
  trap 'clean_up; rm -rf "$database"' EXIT
  if [ "$(id -u)" -eq 0 ]; then
    chown postgres "$database"
    # It becomes the program, so that ${pid[postgresql]} is the first process of the server.
    as_postgres=(setpriv --reuid=postgres --regid=postgres --init-groups)
  fi
  cd "$database"
  "${as_postgres[@]}" "$postgres_programs/initdb" -D "$database/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 \
    > "$folder/initdb"
  spawn postgresql "${as_postgres[@]}" "$postgres_programs/postgres" -D "$database/data" -k "$database" \
    -c listen_addresses= -c shared_buffers=128MB "$@"
  wait_for postgresql "$postgres_programs/pg_isready" -q -h "$database"
}

sql() { "$postgres_programs/psql" -XAtq -v ON_ERROR_STOP=1 -h "$database" -U postgres "$@"; }

# Look-ups per second of a file with one statement, prepared, on so many connections.
pgbench_rate() { # file connections threads database
  "$postgres_programs/pgbench" -n -M prepared -c "$2" -j "$3" -T "$BENCH_SECONDS" -f "$1" -h "$database" -U postgres \
    "$4" | sed -n 's/^tps = \([0-9.]*\) .*/\1/p'
}
