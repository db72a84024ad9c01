#!/bin/sh
# The pre-action of an Xcode scheme's Test: starts a fresh selfie-server in Docker. `docker rm -f selfie-tests` ends it.
# Tests send the control interface's name, "control", and its password, which CONTROL_PASSWORD chooses.
# Xcode runs pre-actions with a PATH of its own, which may lack docker.
set -eu
PATH="$PATH:/usr/local/bin:/opt/homebrew/bin"
docker rm --force selfie-tests >/dev/null 2>&1 || true
docker run --detach --name selfie-tests --shm-size 1g --log-opt max-size=10m --publish 127.0.0.1:3000:3000 \
  --publish 127.0.0.1:3001:3001 --env CONTROL_ADDRESS=0.0.0.0:3001 \
  --env CONTROL_NAME=control --env CONTROL_PASSWORD="${CONTROL_PASSWORD:-on-this-machine-only}" \
  "${SELFIE_IMAGE:-selfie-server}" serve --ephemeral >/dev/null
attempts=0
until curl --noproxy '*' --silent --fail --output /dev/null http://127.0.0.1:3000/up; do
  attempts=$((attempts + 1))
  [ "$attempts" -lt 100 ] || { docker logs selfie-tests >&2; echo "selfie-server did not start" >&2; exit 1; }
  sleep 0.1
done
