# shellcheck shell=sh
# A server on a socket, and the pump to it as this process: pumped.sh PATH-OF-THE-EXAMPLE
folder=$(mktemp -d)
"$1" --socket "$folder/socket" </dev/null >/dev/null &
until [ -S "$folder/socket" ]; do sleep 0.01; done
"$1" --pump "$folder/socket"
ended=$?
wait
rm -r "$folder"
exit $ended
