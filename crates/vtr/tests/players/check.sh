#!/bin/sh
# Recordings of ours in the hands of others: check.sh VTR ASCIINEMA NODE_PREFIX
# asciinema 2 plays our version 2 byte for byte, and asciinema-player parses our version 3.
set -eu
vtr=$(realpath "$1") asciinema=$(realpath "$2") node_prefix=$(realpath "$3")
here=$(dirname "$(realpath "$0")")
folder=$(mktemp -d)
export HOME="$folder" XDG_STATE_HOME="$folder/state" XDG_CONFIG_HOME="$folder/config" VTR_SOCKET="$folder/vtr.sock"
cleanup() {
  "$vtr" serve --stop --socket "$VTR_SOCKET" >/dev/null 2>&1 || true
  rm -rf "$folder"
}
trap cleanup EXIT
cd "$folder"
"$vtr" serve --daemon --socket "$VTR_SOCKET" --log-file "$folder/log" >/dev/null
program='printf "\033]133;A\007\033[32mgreen\033[m 漢字 é\r\n\033[2J\033[5;5Hthe end\r\n"; read line; exit 3'
for format in v2 v3; do
  "$vtr" spawn "$format" --cmd "read line; $program" >/dev/null
  "$vtr" record "$format" start --file "$folder/$format.cast" --format "$format" >/dev/null
  "$vtr" send "$format" -e go
  "$vtr" wait "$format" 'the end' --scope scrollback >/dev/null
  "$vtr" resize "$format" 100 30
  "$vtr" send "$format" -e on
  until "$vtr" record "$format" status --json | grep -q '"recording":false'; do :; done
done
# What asciinema prints is what the events hold, in their order.
"$asciinema" cat v2.cast >played
python3 - v2.cast >expected <<'PYTHON'
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    next(file)
    events = [json.loads(line) for line in file]
sys.stdout.buffer.write("".join(data for _, code, data in events if code == "o").encode())
PYTHON
cmp played expected
grep -q 'the end' played
echo "asciinema played $(wc -c <played) bytes"
node "$here/parse.mjs" "$node_prefix/node_modules/asciinema-player/dist" v3.cast
# And back: what another recorder might have written, converted by us, still plays.
"$vtr" export v3.cast --format v2 --output again.cast >/dev/null
"$asciinema" cat again.cast | grep -q 'the end'
