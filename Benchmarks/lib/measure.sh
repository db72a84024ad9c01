# Runs of wrk, and how their results are recorded.

# Declares a measure. A case declares all of them before it measures anything, so that the report shows what is missing.
measure() { # measure title
  printf 'measure\t%s\t%s\n' "$@" >> "$BENCH_RESULTS"
}

# Records one measured value of one round.
record() { # measure contender round value unit
  printf 'value\t%s\t%s\t%s\t%s\t%s\n' "$@" >> "$BENCH_RESULTS"
  printf '%-20s %-20s round %s: %s %s\n' "$@" >&2
}

# The goal of a measure, relative to another contender of the same rounds, or absolute without BASELINE.
goal() { # measure text contender at-least|at-most|below|always-below bound [baseline]
  printf 'goal\t%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" "$5" "${6:-}" >> "$BENCH_RESULTS"
}

# With `bin/bench --before`, compares the rate with the other commit's server; 5 % is the noise of the rounds.
goal_before() { # measure
  [ -z "${BENCH_BEFORE:-}" ] || goal "$1" 'the server of the commit before' selfie-server at-least 0.95 before
}

# Adds a note for readers of the results.
note() { # text
  printf 'note\t%s\n' "$1" >> "$BENCH_RESULTS"
  echo "note: $1" >&2
}

rounds() { seq "$BENCH_ROUNDS"; }

# The request to each contender, set by the case. `second` is another header field, if it needs two.
declare -A url=() field=() second=()

# One run of wrk. Sets $requests_per_second, $p50_ms, $p99_ms and $requests. Fails if a request failed.
# METHOD, BODY_FILE and INTERVAL_MS are for request.lua.
load() { # connections seconds url [field ...]
  local connections="$1" seconds="$2" target="$3" out one fields=()
  shift 3
  for one in "$@"; do fields+=(-H "$one"); done
  out="$(wrk -t1 -c"$connections" -d"${seconds}s" --timeout 60s -s "$here/lib/request.lua" "${fields[@]}" "$target")"
  read -r requests_per_second p50_ms p99_ms failures requests <<< "$(sed -n 's/^measured //p' <<< "$out")"
  [ "$failures" = 0 ] || { printf '%s\n' "$target:" "$out" >&2; return 1; }
}

send_to() { # contender connections seconds
  load "$2" "$3" "${url[$1]}" "${field[$1]}" ${second[$1]:+"${second[$1]}"}
}

# Requests per second of the contenders in turn, in a new order each round. Each is warmed up for a second.
alternate() { # measure connections contender...
  local name="$1" connections="$2" contender round order
  shift 2
  for contender in "$@"; do send_to "$contender" "$connections" 1; done
  for round in $(rounds); do
    # Names may have spaces.
    readarray -t order < <(shuf -e "$@")
    for contender in "${order[@]}"; do
      send_to "$contender" "$connections" "$BENCH_SECONDS"
      record "$name" "$contender" "$round" "$requests_per_second" "requests/s"
    done
  done
}
