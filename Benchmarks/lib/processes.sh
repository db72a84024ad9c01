# Processes that a case starts. All of them end with the case.

# The process and the port of each name.
declare -A pid=() port=()

# Runs a command in the background; its output goes to $folder/NAME.out and $folder/NAME.log.
spawn() { # name command...
  local name="$1"
  shift
  : > "$folder/$name.out"
  "$@" > "$folder/$name.out" 2> "$folder/$name.log" &
  pid[$name]=$!
}

# Waits until a condition holds. Fails with the process's log if the process ends first, or after a minute.
wait_for() { # name command...
  local name="$1" tries=600
  shift
  until "$@"; do
    if ! kill -0 "${pid[$name]}" 2>/dev/null || [ $((tries -= 1)) -eq 0 ]; then
      echo "$name did not get ready:" >&2
      tail -20 "$folder/$name.log" >&2
      return 1
    fi
    sleep 0.1
  done
}

# Ends a process and waits until it has ended. Kills it after ten seconds.
stop() { # name
  local process="${pid[$1]:-}" tries=100
  [ -n "$process" ] || return 0
  unset "pid[$1]" "port[$1]"
  kill "$process" 2>/dev/null || true
  while kill -0 "$process" 2>/dev/null && [ $((tries -= 1)) -gt 0 ]; do sleep 0.1; done
  kill -KILL "$process" 2>/dev/null || true
  wait "$process" 2>/dev/null || true
}

clean_up() {
  local name
  for name in "${!pid[@]}"; do stop "$name"; done
  # A load that still runs in the background.
  jobs -p | xargs -r kill 2>/dev/null || true
  rm -rf "$folder"
}

# A free port below those that the system gives to clients.
free_port() {
  local candidate
  while true; do
    candidate=$((20000 + RANDOM % 10000))
    (exec 3<> "/dev/tcp/127.0.0.1/$candidate") 2>/dev/null || { echo "$candidate"; return; }
  done
}

# A process's memory in MB, from the kernel. VmRSS is the current value, VmHWM the highest so far.
memory() { # name VmRSS|VmHWM
  awk -v field="$2:" '$1 == field { printf "%.1f\n", $2 * 1024 / 1e6 }' "/proc/${pid[$1]}/status"
}
