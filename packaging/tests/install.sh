#!/usr/bin/env bash
# Tests packaging/install.sh with archives of shell scripts, in a home folder of its own, with nothing on the PATH but the
# programs that install.sh says it needs. Needs python3, which serves the downloads.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

installer=$PWD/packaging/install.sh
stage=$(mktemp -d)
server=''
clean_up() {
  status=$?
  [ -z "$server" ] || kill "$server" || true
  [ "$status" -eq 0 ] || { echo "FAILED after: ${test_name:-}" >&2; cat "$stage/out" >&2 || true; }
  rm -rf "$stage"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

home=$stage/home tools=$stage/tools dist=$stage/dist releases='' shell=''
mkdir "$home" "$tools" "$dist" "$stage/tmp"
for tool in sh uname tar gzip sha256sum mktemp mkdir mv cp rm rmdir chmod cat sed awk find sort grep; do
  ln -s "$(command -v "$tool")" "$tools/$tool"
done

test_that() {
  test_name=$1
  echo "- $1"
}

# What a user's shell would give it. Everything is printed to $stage/out.
run() { # ARGUMENT…
  env -i HOME="$home" PATH="$tools" TMPDIR="$stage/tmp" ${releases:+PATTERM_RELEASES="$releases"} \
    "$(command -v "${shell:-sh}")" "$installer" "$@" >"$stage/out" 2>&1
}

refused() { # MESSAGE ARGUMENT…: fails, says so, and changes nothing
  local message=$1 before
  shift
  before=$(tree)
  if run "$@"; then
    echo "should have been refused: $*" >&2
    return 1
  fi
  printed "$message"
  same_tree "$before"
}

printed() { # TEXT
  grep -Fq -- "$1" "$stage/out" || { echo "did not print: $1" >&2; return 1; }
}

# Puts a script in the place of a program, and the program back.
stand_in() { # PROGRAM SCRIPT
  rm -f "${tools:?}/$1"
  printf '#!/bin/sh\n%s\n' "$2" >"$tools/$1"
  chmod 755 "$tools/$1"
}
restored() { # PROGRAM
  rm "${tools:?}/$1"
  ln -s "$(command -v "$1")" "$tools/$1"
}

# Everything below home and the temporary folder, with modes and contents.
tree() {
  (cd "$stage" && find home tmp -printf '%y %m %p %l\n' | sort && find home tmp -type f -exec sha256sum {} + | sort)
}

same_tree() { # BEFORE
  diff <(printf '%s\n' "$1") <(tree)
}

this_machine=$(uname -m)-unknown-linux-musl

# A release's folder as `cargo xtask dist` makes it.
release() { # VERSION [FILE THAT ONLY IT HAS]
  local top=patterm-$1-$this_machine
  local tree=$stage/made/$top
  mkdir -p "$tree"/bin "$tree"/share/{man/man1,bash-completion/completions,zsh/site-functions,fish/vendor_completions.d} \
    "$tree"/share/{doc/patterm,patterm/presets,systemd/user}
  for program in patterm patterm-fake-agent vtr; do
    printf '#!/bin/sh\necho "%s %s"\n' "$program" "$1" >"$tree/bin/$program"
    chmod 755 "$tree/bin/$program"
  done
  echo ".TH patterm 1 $1" >"$tree/share/man/man1/patterm.1"
  echo ".TH vtr 1 $1" >"$tree/share/man/man1/vtr.1"
  echo '# bash' >"$tree/share/bash-completion/completions/vtr"
  echo '#compdef vtr' >"$tree/share/zsh/site-functions/_vtr"
  echo '# fish' >"$tree/share/fish/vendor_completions.d/vtr.fish"
  cp README.md LICENSE-MIT LICENSE-APACHE CHANGELOG.md "$tree/share/doc/patterm/"
  cp presets/claude.json "$tree/share/patterm/presets/"
  cp packaging/vtr.service "$tree/share/systemd/user/"
  [ $# -eq 1 ] || echo 'only in this version' >"$tree/$2"
  tar -C "$stage/made" -czf "$dist/$top.tar.gz" "$top"
  (cd "$dist" && sha256sum -- *.tar.gz >SHA256SUMS)
}

release 0.1.0 share/man/man1/vtr-old.1
first=$dist/patterm-0.1.0-$this_machine.tar.gz
bare=$(tree)

test_that 'an archive is installed from a folder, with every file in its place'
run --from "$dist"
printed 'its SHA-256 is the one in SHA256SUMS'
printed "$home/.local/bin is not in your PATH"
[ "$("$home/.local/bin/patterm")" = 'patterm 0.1.0' ]
[ "$("$home/.local/bin/patterm-fake-agent")" = 'patterm-fake-agent 0.1.0' ]
[ "$("$home/.local/bin/vtr")" = 'vtr 0.1.0' ]
diff -r "$stage/made/patterm-0.1.0-$this_machine/bin" "$home/.local/bin"
diff -r -x manifest "$stage/made/patterm-0.1.0-$this_machine/share" "$home/.local/share"
[ -z "$(ls -A "$stage/tmp")" ]

test_that 'it is installed again from the file, with the same result'
once=$(tree)
run --from "$first" --version 0.1.0
same_tree "$once"

test_that 'a newer version replaces it, and what it no longer has is removed'
release 0.2.0
run --from "$dist" --version v0.2.0
printed 'it replaces 0.1.0'
[ "$("$home/.local/bin/vtr")" = 'vtr 0.2.0' ]
[ ! -e "$home/.local/share/man/man1/vtr-old.1" ]

test_that 'several versions in a folder are a question'
refused 'has several versions' --from "$dist"

test_that 'without a trace: the folders are as they were before'
run --uninstall
same_tree "$bare"

test_that 'what is missing is told, and nothing is changed'
refused 'nothing is installed in' --uninstall
refused 'does not exist' --from "$stage/nowhere"
refused 'has no patterm-0.3.0' --from "$dist" --version 0.3.0
refused 'has version 0.1.0, not 0.2.0' --from "$first" --version 0.2.0
refused 'is not an option' --force
refused '--prefix needs a value' --prefix
refused 'has to exist' --from "$first" --prefix "$stage/no/such"

test_that 'a wrong checksum, and one that is missing, is refused'
bad=$stage/bad
mkdir "$bad"
cp "$first" "$bad"
refused "can't be checked" --from "$bad"
sed 's/^[0-9a-f]\{8\}/00000000/' "$dist/SHA256SUMS" >"$bad/SHA256SUMS"
refused 'has a wrong checksum' --from "$bad"
grep -v 0.1.0 "$dist/SHA256SUMS" >"$bad/SHA256SUMS"
refused 'does not list' --from "$bad"
head -c 300 "$first" >"$bad/${first##*/}"
(cd "$bad" && sha256sum -- *.tar.gz >SHA256SUMS)
refused "can't be unpacked" --from "$bad"

test_that 'an archive of another machine is refused'
mv "$bad/${first##*/}" "$bad/patterm-0.1.0-sparc-sun-solaris.tar.gz"
refused 'is not for this machine' --from "$bad/patterm-0.1.0-sparc-sun-solaris.tar.gz"
refused 'has no archive for' --from "$bad"

test_that 'an archive with links, or without the programs, is refused'
mkdir -p "$stage/odd/patterm-0.1.0-$this_machine"
tar -C "$stage/odd" -czf "$bad/${first##*/}" "patterm-0.1.0-$this_machine"
(cd "$bad" && sha256sum -- *.tar.gz >SHA256SUMS)
refused 'bin/patterm; nothing was installed' --from "$bad"
cp -R "$stage/made/patterm-0.1.0-$this_machine" "$stage/odd/"
ln -s /etc/passwd "$stage/odd/patterm-0.1.0-$this_machine/share/link"
tar -C "$stage/odd" -czf "$bad/${first##*/}" "patterm-0.1.0-$this_machine"
(cd "$bad" && sha256sum -- *.tar.gz >SHA256SUMS)
refused 'neither a file nor a folder' --from "$bad"

test_that 'files of somebody else are not overwritten'
mkdir -p "$home/.local/bin"
echo mine >"$home/.local/bin/vtr"
refused "$home/.local/bin/vtr" --from "$first"
rm "$home/.local/bin/vtr"
ln -s /usr/bin/true "$home/.local/bin/vtr"
refused "$home/.local/bin/vtr" --from "$first"
rm "$home/.local/bin/vtr"

test_that 'files that were changed after they were installed stay, and so do folders with other files'
own=$(tree)
run --from "$first"
echo '# mine' >>"$home/.local/share/systemd/user/vtr.service"
echo mine >"$home/.local/share/patterm/projects"
refused 'share/systemd/user/vtr.service' --from "$dist" --version 0.2.0
run --uninstall
printed "kept $home/.local/share/systemd/user/vtr.service"
(cd "$home/.local" && find . -type f | sort) | diff - <(printf '%s\n' ./share/patterm/projects ./share/systemd/user/vtr.service)
rm -r "$home/.local/share"
same_tree "$own"

test_that 'an installation that was interrupted can be repeated, and undone'
run --from "$first"
# As if it had been ended in the middle of an upgrade: the programs are new, the rest is old, the list has both.
cp "$home/.local/share/patterm/manifest" "$stage/manifest"
run --from "$dist" --version 0.2.0
cat "$stage/manifest" >>"$home/.local/share/patterm/manifest"
cp "$stage/made/patterm-0.1.0-$this_machine/share/man/man1/"* "$home/.local/share/man/man1/"
run --from "$dist" --version 0.2.0
diff -r "$stage/made/patterm-0.2.0-$this_machine/bin" "$home/.local/bin"
diff -r -x manifest "$stage/made/patterm-0.2.0-$this_machine/share" "$home/.local/share"
cat "$stage/manifest" >>"$home/.local/share/patterm/manifest"
run --uninstall
same_tree "$own"
rmdir "$home/.local/bin" "$home/.local"

test_that 'ended by a signal, it leaves nothing'
# shellcheck disable=SC2016 # $PPID is of the script that is written here.
stand_in tar 'kill -TERM $PPID'
refused '' --from "$first"
restored tar

test_that 'what failed in the middle can be undone'
# shellcheck disable=SC2016 # "$2" and "$@" are of the script that is written here.
stand_in cp 'case $2 in */man1/*) echo "no space left" >&2; exit 1 ;; esac; exec '"$(command -v cp)"' "$@"'
if run --from "$first"; then exit 1; fi
printed 'no space left'
[ -e "$home/.local/bin/vtr" ]
restored cp
run --uninstall
same_tree "$bare"

test_that 'another prefix has the same files, and the service names it'
run --from "$first" --prefix "$home/opt"
grep -Fqx "ExecStart=$home/opt/bin/vtr serve --socket %t/vtr/vtr.sock" "$home/opt/share/systemd/user/vtr.service"
run --uninstall --prefix "$home/opt"
same_tree "$bare"

test_that 'a prefix with spaces works, and a relative one'
(
  cd "$home"
  run --from "$first" --prefix 'my programs'
  printed 'has to be changed to this prefix'
  [ "$('my programs/bin/vtr')" = 'vtr 0.1.0' ]
  run --uninstall --prefix 'my programs/'
)
same_tree "$bare"

test_that 'macOS gets its own archive, also in Rosetta'
mac=$stage/mac
mkdir "$mac"
for target in aarch64-apple-darwin x86_64-apple-darwin; do
  mkdir -p "$stage/made/patterm-0.1.0-$target"
  cp -R "$stage/made/patterm-0.1.0-$this_machine/bin" "$stage/made/patterm-0.1.0-$target/"
  tar -C "$stage/made" -czf "$mac/patterm-0.1.0-$target.tar.gz" "patterm-0.1.0-$target"
done
(cd "$mac" && sha256sum -- *.tar.gz >SHA256SUMS)
on_mac() { # MACHINE TRANSLATED: how uname and sysctl answer there; sums are checked by shasum there
  # shellcheck disable=SC2016 # "$1" is of the script that is written here.
  stand_in uname 'case $1 in -s) echo Darwin ;; -m) echo '"$1"' ;; esac'
  stand_in sysctl "echo $2"
  stand_in shasum "exec $(command -v sha256sum)"
  rm "$tools/sha256sum"
  run --from "$mac"
  cp "$home/.local/share/patterm/manifest" "$stage/installed"
  run --uninstall
  ln -s "$(command -v sha256sum)" "$tools/"
  rm "$tools/sysctl" "$tools/shasum"
  restored uname
}
on_mac x86_64 0
grep -Fq x86_64-apple-darwin "$stage/installed"
on_mac x86_64 1
grep -Fq aarch64-apple-darwin "$stage/installed"
on_mac arm64 0
grep -Fq aarch64-apple-darwin "$stage/installed"
same_tree "$bare"

test_that 'without --from, the latest release is downloaded, by curl and by wget'
mkdir -p "$stage/www/latest/download" "$stage/www/download"/v0.{1,2}.0
for version in 0.1.0 0.2.0; do
  archive=patterm-$version-$this_machine.tar.gz
  cp "$dist/$archive" "$stage/www/download/v$version/"
  grep "$archive" "$dist/SHA256SUMS" >"$stage/www/download/v$version/SHA256SUMS"
done
cp "$stage/www/download/v0.2.0/SHA256SUMS" "$stage/www/latest/download/"
mkfifo "$stage/port"
python3 -u -c '
import functools, http.server, sys
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
    print(server.server_port)
    server.serve_forever()
' "$stage/www" >"$stage/port" 2>/dev/null &
server=$!
read -r port <"$stage/port"
releases=http://127.0.0.1:$port
refused 'neither curl nor wget'
for client in curl wget; do
  ln -s "$(command -v $client)" "$tools/$client"
  run
  printed "downloaded $releases/download/v0.2.0/"
  [ "$("$home/.local/bin/vtr")" = 'vtr 0.2.0' ]
  run --version 0.1.0
  [ "$("$home/.local/bin/vtr")" = 'vtr 0.1.0' ]
  run --uninstall
  same_tree "$bare"
  refused 'could not be downloaded' --version 9.9.9
  truncate -s -1 "$stage/www/download/v0.1.0/patterm-0.1.0-$this_machine.tar.gz"
  refused 'has a wrong checksum' --version 0.1.0
  cp "$dist/patterm-0.1.0-$this_machine.tar.gz" "$stage/www/download/v0.1.0/"
  rm "$tools/$client"
done
releases=''

test_that 'it runs in bash too, which is sh on macOS, and read from a pipe'
shell=bash
run --from "$first"
run --uninstall
shell=''
env -i HOME="$home" PATH="$tools" TMPDIR="$stage/tmp" sh -s -- --from "$first" <"$installer" >"$stage/out" 2>&1
run --uninstall
same_tree "$bare"

test_that 'half of the script does nothing'
head -c 6000 "$installer" >"$stage/half"
env -i HOME="$home" PATH="$tools" TMPDIR="$stage/tmp" sh -s -- --from "$first" <"$stage/half" >"$stage/out" 2>&1 || true
same_tree "$bare"

test_name='all tests'
echo 'install.sh: all tests passed'
