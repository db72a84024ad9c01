# The control interface of selfie-server for scripts of sh, bash and zsh; needs curl.
#
#   . control.sh
#   selfie_start                      # a server that keeps nothing, on a free port: sets SELFIE_URL and SELFIE_PID
#   selfie seed '{"users":[{"email":"ada@example.com"}]}'
#   selfie seed '{"microblog":{"users":[{"name":"ada","sessions":[{}],"blogposts":["Hello"]}]}}'
#   selfie clock '{"advance":"25h"}'
#   selfie reset '{}'
#   selfie_stop
#
# SELFIE_SERVER is the executable, "selfie-server" by default. Without it, SELFIE_IMAGE is an image to run instead, with
# SELFIE_DOCKER, "docker" by default. SELFIE_WORLD names a world; without it, requests go to the
# main world. For a server that was started elsewhere set SELFIE_URL, and set CONTROL_CREDENTIALS to the name:password of
# its control interface, and SELFIE_CONTROL_URL to its address, if that has a port of its own.

# Starts a server for this script. It ends when the script ends, however that happens. Arguments are settings of the server,
# such as TOKEN_LIFETIME=1m.
selfie_start() {
  local folder ready setting
  for setting; do
    case "$setting" in
    [A-Z]*=*) ;;
    *) echo "selfie_start takes settings, such as TOKEN_LIFETIME=1m, and not $setting" >&2 && return 1 ;;
    esac
  done
  if [ -z "${SELFIE_SERVER:-}" ] && [ -n "${SELFIE_IMAGE:-}" ]; then
    selfie_start_image "$@"
    return
  fi
  SELFIE_URL='' SELFIE_CONTROL_URL=''
  folder="$(mktemp -d)"
  ready="$folder/ready.json"
  # Standard error stays the script's: it says why the server does not start.
  env PORT=0 LOG_LEVEL="${LOG_LEVEL:-error}" "$@" "${SELFIE_SERVER:-selfie-server}" serve --ephemeral \
    --exit-with-parent --parent-pid $$ --ready-file "$ready" >/dev/null &
  SELFIE_PID=$!
  for _ in $(seq 3000); do
    if [ -e "$ready" ]; then
      SELFIE_URL="$(sed -E 's/.*[{,]"url":"([^"]*)".*/\1/' "$ready")"
      # The app's port may refuse connections; this one does not.
      SELFIE_CONTROL_URL="$(sed -E 's/.*"control_url":"([^"]*)".*/\1/' "$ready")"
      CONTROL_CREDENTIALS="$(sed -E 's/.*"control_name":"([^"]*)","control_password":"([^"]*)".*/\1:\2/' "$ready")"
      rm -r "$folder"
      return 0
    fi
    kill -0 "$SELFIE_PID" 2>/dev/null || break
    sleep 0.02
  done
  echo "${SELFIE_SERVER:-selfie-server} did not start" >&2
  return 1
}

# Starts a container of SELFIE_IMAGE, which is stopped when the script ends.
selfie_start_image() {
  local docker name password setting
  docker="${SELFIE_DOCKER:-docker}"
  # Of its own: what stops an earlier container of this script stops it by its name, half a second late.
  name="selfie-$(od -An -N8 -tx1 /dev/urandom | tr -d ' \n')"
  password="$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
  for setting; do
    shift
    set -- "$@" --env "$setting"
  done
  CONTROL_NAME=tests CONTROL_PASSWORD="$password" LOG_LEVEL="${LOG_LEVEL:-error}" "$docker" run --rm --name "$name" \
    --shm-size 1g --publish 127.0.0.1::3000 --publish 127.0.0.1::3001 --env CONTROL_ADDRESS=0.0.0.0:3001 \
    --env CONTROL_NAME --env CONTROL_PASSWORD --env LOG_LEVEL --env API_AUTH_NAME --env API_AUTH_PASSWORD "$@" \
    "$SELFIE_IMAGE" serve --ephemeral >/dev/null &
  SELFIE_PID=$!
  {
    while kill -0 $$ && kill -0 "$SELFIE_PID"; do sleep 0.5; done
    "$docker" stop "$name"
  } >/dev/null 2>&1 &
  until "$docker" exec "$name" selfie-server health >/dev/null 2>&1; do
    kill -0 "$SELFIE_PID" 2>/dev/null || { echo "$SELFIE_IMAGE did not start" >&2 && return 1; }
    sleep 0.1
  done
  SELFIE_URL="http://$("$docker" port "$name" 3000)"
  SELFIE_CONTROL_URL="http://$("$docker" port "$name" 3001)"
  CONTROL_CREDENTIALS="tests:$password"
}

# Stops the server, and waits until it has ended.
selfie_stop() {
  kill "$SELFIE_PID" && wait "$SELFIE_PID"
}

# selfie ADDRESS [JSON]: gets an address below /__admin/, or posts the JSON to it. Prints the response. If that is an
# error, it prints the message to standard error instead, and fails.
selfie() {
  local address="$1"
  shift
  [ $# -eq 0 ] || set -- -H 'Content-Type: application/json' -d "$1"
  selfie_request "$address" "$@"
}

# selfie_request ADDRESS [CURL ARGUMENT…]: for other methods, such as -X DELETE.
selfie_request() {
  local address="$1" response
  shift
  [ -n "${SELFIE_URL:-}" ] || { echo "No server runs: call selfie_start, or set SELFIE_URL." >&2; return 1; }
  [ -z "${CONTROL_CREDENTIALS:-}" ] || set -- -u "$CONTROL_CREDENTIALS" "$@"
  [ -z "${SELFIE_WORLD:-}" ] || set -- -H "X-Test-World: $SELFIE_WORLD" "$@"
  # A proxy cannot reach this machine's own addresses.
  set -- --noproxy "localhost,127.0.0.1,::1,${no_proxy:-${NO_PROXY:-}}" "$@"
  response="$(curl --silent --show-error --fail-with-body "$@" "${SELFIE_CONTROL_URL:-$SELFIE_URL}/__admin/$address")" || {
    set -- $?
    # printf knows the escapes of JSON, but for these.
    printf '%b\n' "$(printf '%s' "$response" | sed -E 's/.*"(text|message)":"(([^"\]|\\.)*)".*/\2/
      s/\\"/"/g; s/\\u003c/</g; s/\\u003e/>/g; s/\\u0026/\&/g')" >&2
    return "$1"
  }
  printf '%s' "$response"
}
