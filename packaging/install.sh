#!/bin/sh
# Installs patterm, patterm-fake-agent and vtr from a release archive into a folder of yours, without root, and removes
# them again. packaging/README.md describes the archive.
#
#   install.sh [--from FILE_OR_FOLDER] [--version V] [--prefix DIR]
#   install.sh --uninstall [--prefix DIR]
#
# It needs tar, gzip, and sha256sum or shasum; without --from also curl or wget.
#
# What it installed is listed in PREFIX/share/patterm/manifest, with checksums. Files that are not in this list, or that
# have changed since, are never overwritten and never removed.
set -eu
export LC_ALL=C # for `sort`: a folder comes before what is in it

# Where releases are, in the form of GitHub's: BASE/latest/download/FILE and BASE/download/vVERSION/FILE.
releases=${PATTERM_RELEASES:-https://github.com/patterm/patterm/releases}

usage() {
  cat <<'END'
Installs patterm, patterm-fake-agent and vtr for your user.

install.sh [--from FILE_OR_FOLDER] [--version V] [--prefix DIR]
install.sh --uninstall [--prefix DIR]

  --from FILE    install this archive; SHA256SUMS must be in the same folder
  --from FOLDER  install this machine's archive from a folder that holds archives and SHA256SUMS
  --version V    the version to install; otherwise the latest, or the only one in FOLDER
  --prefix DIR   where to install; otherwise ~/.local
  --uninstall    remove what was installed in the prefix, and nothing else

Without --from, the archive is downloaded from the project's releases.
END
}

say() {
  printf '%s\n' "$*"
}

fail() { # LINE…
  for line in "$@"; do
    printf 'install.sh: %s\n' "$line" >&2
  done
  exit 1
}

# ---- surroundings

have() {
  command -v "$1" >/dev/null 2>&1
}

# The name of this machine's archive: the target triple that its programs were built for.
target() {
  os=$(uname -s) machine=$(uname -m)
  # A shell that runs in Rosetta gets told x86_64.
  if [ "$os" = Darwin ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || true)" = 1 ]; then
    machine=arm64
  fi
  case $os-$machine in
    Linux-x86_64 | Linux-amd64) say x86_64-unknown-linux-musl ;;
    Linux-aarch64 | Linux-arm64) say aarch64-unknown-linux-musl ;;
    Darwin-arm64 | Darwin-aarch64) say aarch64-apple-darwin ;;
    Darwin-x86_64) say x86_64-apple-darwin ;;
    *) fail "there is no archive for $os on $machine: build it from the source" ;;
  esac
}

sha256() { # FILE
  if have sha256sum; then
    sum=$(sha256sum <"$1")
  else
    sum=$(shasum -a 256 <"$1")
  fi
  say "${sum%% *}"
}

download() { # URL FILE
  if have curl; then
    # Never from https to anything else, by a redirect.
    case $1 in
      https:*) curl --proto '=https' --tlsv1.2 -fsSL --retry 2 -o "$2" "$1" ;;
      *) curl -fsSL --retry 2 -o "$2" "$1" ;;
    esac
  elif have wget; then
    wget -q -O "$2" "$1"
  else
    fail 'neither curl nor wget was found: download the archive and SHA256SUMS yourself, and use --from'
  fi || fail "$1 could not be downloaded; nothing was installed"
}

# ---- the archive

# Prints the versions in a list of archives' names, of those for this machine.
versions() { # NAMES ON STANDARD INPUT
  while read -r listed; do
    case $listed in
      patterm-*-"$target".tar.gz)
        listed=${listed#patterm-}
        say "${listed%-"$target".tar.gz}"
        ;;
    esac
  done
}

# Sets `version`, unless it was given, to the only one of a list.
choose_version() { # VERSIONS PLACE
  if [ -n "$version" ]; then
    return
  fi
  case $1 in
    '') fail "$2 has no archive for $target" ;;
    *"
"*) fail "$2 has several versions: choose one with --version" "$1" ;;
    *) version=$1 ;;
  esac
}

# Sets `version`, `name`, `archive` and `sums`.
find_archive() {
  if [ -z "$from" ]; then
    sums=$temp/SHA256SUMS
    if [ -n "$version" ]; then
      download "$releases/download/v$version/SHA256SUMS" "$sums"
    else
      download "$releases/latest/download/SHA256SUMS" "$sums"
      choose_version "$(sed 's/^[^ ]* [ *]//' "$sums" | versions)" "$releases/latest"
    fi
    name=patterm-$version-$target.tar.gz archive=$temp/$name
    # By its version: "latest" may be another one by now.
    download "$releases/download/v$version/$name" "$archive"
    say "downloaded $releases/download/v$version/$name"
  elif [ -d "$from" ]; then
    choose_version "$(find "$from"/. ! -name . -prune -type f | sed 's|.*/||' | versions)" "$from"
    name=patterm-$version-$target.tar.gz archive=$from/$name sums=$from/SHA256SUMS
    [ -f "$archive" ] || fail "$from has no $name"
  elif [ -f "$from" ]; then
    archive=$from name=${from##*/}
    case $from in
      */*) sums=${from%/*}/SHA256SUMS ;;
      *) sums=SHA256SUMS ;;
    esac
    wanted=$version version=$(say "$name" | versions)
    [ -n "$version" ] || fail "$name is not for this machine: that would be patterm-VERSION-$target.tar.gz"
    [ -z "$wanted" ] || [ "$wanted" = "$version" ] || fail "$name has version $version, not $wanted"
  else
    fail "$from does not exist"
  fi
}

check_archive() {
  [ -f "$sums" ] || fail "$sums does not exist, so $name can't be checked; nothing was installed"
  right=$(awk -v name="$name" '$2 == name || $2 == "*" name { print $1 }' "$sums")
  [ -n "$right" ] || fail "$sums does not list $name; nothing was installed"
  found=$(sha256 "$archive")
  if [ "$found" != "$right" ]; then
    fail "$name has a wrong checksum; nothing was installed" "it should be $right" "it is        $found"
  fi
  say "checked $name: its SHA-256 is the one in SHA256SUMS"
}

# Sets `top`, the folder of what is to be installed.
unpack() {
  mkdir "$temp/unpacked"
  gzip -dc "$archive" >"$temp/archive.tar" || fail "$name can't be unpacked; nothing was installed"
  tar -xf "$temp/archive.tar" -C "$temp/unpacked" || fail "$name can't be unpacked; nothing was installed"
  top=$temp/unpacked/patterm-$version-$target
  for program in patterm patterm-fake-agent vtr; do
    [ -f "$top/bin/$program" ] || fail "$name has no patterm-$version-$target/bin/$program; nothing was installed"
  done
  if [ -n "$(find "$top" ! -type f ! -type d)" ]; then
    fail "$name holds something that is neither a file nor a folder; nothing was installed"
  fi
  # The unit in the archive names the default prefix. Any other is written into it, if it means the same to systemd.
  unit=$top/share/systemd/user/vtr.service
  if [ -f "$unit" ] && [ "$prefix" != "${HOME:-}/.local" ]; then
    case $prefix in
      *[!A-Za-z0-9/._+-]*) say 'note: ExecStart in share/systemd/user/vtr.service has to be changed to this prefix' ;;
      *)
        sed "s|%h/.local/bin/vtr|$prefix/bin/vtr|" "$unit" >"$unit.new"
        mv "$unit.new" "$unit"
        ;;
    esac
  fi
}

# ---- the manifest: lines "version V TARGET", "folder PATH" and "file SHA256 PATH"; paths are below the prefix

is_ours() { # PATH: an installed file that nobody has changed
  [ -f "$prefix/$1" ] && [ ! -L "$prefix/$1" ] && [ -f "$manifest" ] &&
    grep -Fqx "file $(sha256 "$prefix/$1") $1" "$manifest"
}

note_missing() { # FOLDER: notes in `folders` what of it has to be made
  if [ -d "$prefix/$1" ] || grep -Fqx "folder $1" "$folders"; then
    return
  fi
  case $1 in
    */*) note_missing "${1%/*}" ;;
  esac
  printf 'folder %s\n' "$1" >>"$folders"
}

# ---- the two things it does

install() {
  target=$(target)
  find_archive
  check_archive
  unpack

  manifest=$prefix/share/patterm/manifest files=$temp/files folders=$temp/folders new=$temp/manifest old=$temp/old
  (cd "$top" && find bin share -type f 2>/dev/null | sort) >"$files" || true
  foreign=''
  while IFS= read -r file; do
    if [ -e "$prefix/$file" ] || [ -L "$prefix/$file" ]; then
      is_ours "$file" || foreign="$foreign
  $prefix/$file"
    fi
  done <"$files"
  if [ -n "$foreign" ]; then
    fail "these files were not installed by this script, or were changed since; nothing was installed:$foreign" \
      'move them away, or use another --prefix'
  fi

  before=''
  : >"$old"
  if [ -f "$manifest" ]; then
    cp "$manifest" "$old"
    before=$(sed -n 's/^version \([^ ]*\) .*/\1/p' "$old")
  fi
  sed -n '/^folder /p' "$old" >"$folders"
  note_missing .
  note_missing share/patterm
  while IFS= read -r file; do
    note_missing "${file%/*}"
  done <"$files"
  [ -d "$prefix" ] || mkdir "$prefix" || fail "$prefix can't be made: the folder that it should be in has to exist"
  mkdir -p "$prefix/share/patterm"
  # Written before anything else, and with the old files as well until all is done, so that an installation that was
  # interrupted can be repeated or undone.
  note_files >"$new"
  { cat "$new" && sed -n '/^file /p' "$old"; } >"$temp/both"
  put "$temp/both" share/patterm/manifest 644

  while IFS= read -r file; do
    mkdir -p "$prefix/${file%/*}"
    case $file in
      bin/*) put "$top/$file" "$file" 755 ;;
      *) put "$top/$file" "$file" 644 ;;
    esac
    say "installed $prefix/$file"
  done <"$files"

  # What only the version before had.
  while read -r word _ file; do
    if [ "$word" != file ] || grep -Fqx "$file" "$files"; then
      continue
    elif is_ours "$file"; then
      rm "$prefix/$file"
      say "removed $prefix/$file, which this version does not have"
    elif [ -e "$prefix/$file" ]; then
      say "kept $prefix/$file, which this version does not have: it was changed after it was installed"
    fi
  done <"$old"
  note_files >"$new"
  put "$new" share/patterm/manifest 644

  case $before in
    '') say "patterm $version is installed" ;;
    "$version") say "patterm $version is installed again" ;;
    *) say "patterm $version is installed; it replaces $before" ;;
  esac
  case :${PATH:-}: in
    *:"$prefix/bin":*) ;;
    *) say "note: $prefix/bin is not in your PATH" ;;
  esac
}

note_files() {
  say "version $version $target"
  cat "$folders"
  while IFS= read -r file; do
    say "file $(sha256 "$top/$file") $file"
  done <"$files"
}

put() { # FROM PATH MODE: whole or not at all, also if the program that it replaces is running
  staged=$prefix/$2.install-$$
  cp "$1" "$staged"
  chmod "$3" "$staged"
  mv -f "$staged" "$prefix/$2"
  staged=''
}

uninstall() {
  manifest=$prefix/share/patterm/manifest
  [ -f "$manifest" ] || fail "nothing is installed in $prefix: there is no $manifest"
  while read -r word _ file; do
    if [ "$word" != file ]; then
      continue
    elif is_ours "$file"; then
      rm "$prefix/$file"
      say "removed $prefix/$file"
    elif [ -e "$prefix/$file" ]; then
      say "kept $prefix/$file: it was changed after it was installed"
    fi
  done <"$manifest"
  # Inner folders first. One that holds something else stays.
  sed -n 's/^folder //p' "$manifest" | sort -ru >"$temp/folders"
  rm "$manifest"
  while IFS= read -r folder; do
    folder=$prefix/$folder folder=${folder%/.} # No system removes a folder by the name of ".".
    if rmdir "$folder" 2>/dev/null; then
      say "removed $folder"
    fi
  done <"$temp/folders"
  say 'patterm is uninstalled; its settings and the data of your projects are not touched'
}

clean_up() {
  if [ -n "$staged" ]; then
    rm -f "$staged"
  fi
  if [ -n "$temp" ]; then
    rm -rf "$temp"
  fi
}

main() {
  from='' version='' prefix='' action=install temp='' staged=''
  while [ $# -gt 0 ]; do
    case $1 in
      --from | --version | --prefix)
        [ -n "${2:-}" ] || fail "$1 needs a value"
        case $1 in
          --from) from=$2 ;;
          --version) version=${2#v} ;;
          --prefix) prefix=$2 ;;
        esac
        shift 2
        ;;
      --uninstall)
        action=uninstall
        shift
        ;;
      -h | --help)
        usage
        exit 0
        ;;
      *) fail "$1 is not an option: see install.sh --help" ;;
    esac
  done
  if [ -z "$prefix" ]; then
    [ -n "${HOME:-}" ] || fail 'HOME is not set: use --prefix'
    prefix=$HOME/.local
  fi
  case $prefix in
    /*) ;;
    *) prefix=$PWD/$prefix ;;
  esac
  prefix=${prefix%/}
  have sha256sum || have shasum || fail 'neither sha256sum nor shasum was found: one of them is needed to check files'
  trap clean_up EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  temp=$(mktemp -d "${TMPDIR:-/tmp}/patterm-install.XXXXXX")
  "$action"
}

# At the end, so that a script that was cut off on its way through a pipe does nothing.
main "$@"
