# Every case begins with `. "$(dirname "$0")/../lib.sh"`. bin/bench sets the variables BENCH_*.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
. "$here/lib/processes.sh"
. "$here/lib/servers.sh"
. "$here/lib/api.sh"
. "$here/lib/measure.sh"

case_name="$(basename "$0" .sh)"
# On the file system of the checkout, because what is measured must reach a disk.
mkdir -p "$BENCH_FOLDER/runs"
folder="$(mktemp -d "$BENCH_FOLDER/runs/$case_name.XXXXXX")"
trap clean_up EXIT
trap 'exit 130' INT TERM
