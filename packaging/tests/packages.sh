#!/usr/bin/env bash
# Checks the formula, the PKGBUILD, the flake and the metadata of cargo-binstall as far as this is possible without
# Homebrew, makepkg, a build and a release: syntax, fields, addresses, and what the PKGBUILD puts where. Needs ruby,
# nix-instantiate and python3.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

fail() {
  echo "packages.sh: $*" >&2
  exit 1
}

# A version that no package may hold as it is.
version=1.2.3-rc.1
targets=(x86_64-unknown-linux-musl aarch64-unknown-linux-musl x86_64-apple-darwin aarch64-apple-darwin)
downloads=$(sed -n 's/^releases=.*:-\(.*\)}$/\1/p' packaging/install.sh)/download/v$version

echo '- fill-in: a release without one of the archives is refused'
for target in "${targets[@]}"; do
  printf '%s  %s\n' "$(sha256sum <<<"$target" | cut -d' ' -f1)" "patterm-$version-$target.tar.gz"
done >"$stage/SHA256SUMS"
grep -v aarch64-apple "$stage/SHA256SUMS" >"$stage/incomplete"
if packaging/fill-in "$version" "$stage/incomplete" "$stage" 2>/dev/null; then
  fail 'fill-in accepted checksums without aarch64-apple-darwin'
fi
packaging/fill-in "$version" "$stage/SHA256SUMS" "$stage"
if grep -n '@VERSION\|@SHA256' "$stage/patterm.rb" "$stage/PKGBUILD"; then
  fail 'fill-in left something'
fi

echo '- formula: syntax; each address stands before its own checksum'
ruby -c "$stage/patterm.rb" >/dev/null
while read -r sum archive; do
  grep -A1 -F "url \"$downloads/$archive\"" "$stage/patterm.rb" | grep -Fq "sha256 \"$sum\"" || fail "formula: $archive"
done <"$stage/SHA256SUMS"

echo '- PKGBUILD: fields, addresses and checksums'
field() { # EXPRESSION: what it is in the PKGBUILD, in a shell that knows nothing else
  env -i PATH="$PATH" bash -euc "source '$stage/PKGBUILD'; printf '%s\n' $1"
}
[ "$(field "\$pkgname \$pkgver \$pkgrel \${arch[*]}")" = "$(printf '%s\n' patterm-bin 1.2.3_rc.1 1 x86_64 aarch64)" ] ||
  fail 'PKGBUILD: name, version, release or architectures'
for architecture in x86_64 aarch64; do
  archive=patterm-$version-$architecture-unknown-linux-musl.tar.gz
  [ "$(field "\${source_${architecture}[@]}")" = "$downloads/$archive" ] || fail "PKGBUILD: source of $architecture"
  [ "$(field "\${sha256sums_${architecture}[@]}")  $archive" = "$(grep -F "$archive" "$stage/SHA256SUMS")" ] ||
    fail "PKGBUILD: checksum of $architecture"
done

echo '- PKGBUILD: what package() installs'
unpacked=$stage/src/patterm-$version-x86_64-unknown-linux-musl
mkdir -p "$unpacked"/bin "$unpacked"/share/{man/man1,doc/patterm,systemd/user} "$stage/pkg"
touch "$unpacked"/bin/{patterm,patterm-fake-agent,vtr} "$unpacked/share/man/man1/vtr.1" \
  "$unpacked"/share/doc/patterm/{LICENSE-MIT,LICENSE-APACHE,README.md}
cp packaging/vtr.service "$unpacked/share/systemd/user/"
(cd "$stage/src" && env -i PATH="$PATH" CARCH=x86_64 pkgdir="$stage/pkg" bash -euc "source '$stage/PKGBUILD'; package")
diff - <(cd "$stage/pkg" && find . -type f | LC_ALL=C sort) <<'END'
./usr/bin/patterm
./usr/bin/patterm-fake-agent
./usr/bin/vtr
./usr/lib/systemd/user/vtr.service
./usr/share/doc/patterm/README.md
./usr/share/licenses/patterm-bin/LICENSE-APACHE
./usr/share/licenses/patterm-bin/LICENSE-MIT
./usr/share/man/man1/vtr.1
END
grep -q '^ExecStart=/usr/bin/vtr serve ' "$stage/pkg/usr/lib/systemd/user/vtr.service" || fail 'PKGBUILD: ExecStart'

echo '- flake: syntax'
# Without a store: it would make /nix.
nix-instantiate --store dummy:// --parse packaging/nix/flake.nix >/dev/null

echo '- cargo-binstall: the addresses are those of install.sh, the paths those of the archive'
python3 - "$downloads" "$version" "${targets[@]}" <<'END'
import sys, tomllib

downloads, version, *targets = sys.argv[1:]

def read(path):
    with open(path, "rb") as file:
        return tomllib.load(file)

repository = read("Cargo.toml")["workspace"]["package"]["repository"]
for crate in ["patterm", "vtr"]:
    package = read(f"crates/{crate}/Cargo.toml")["package"]
    assert package["repository"] == {"workspace": True}, crate
    metadata = package["metadata"]["binstall"]
    assert metadata["pkg-fmt"] == "tgz", crate
    for target in targets:
        def filled(template):
            values = {"repo": repository, "version": version, "target": target, "bin": crate}
            for name, value in values.items():
                template = template.replace("{ " + name + " }", value)
            assert "{" not in template, template
            return template

        folder = f"patterm-{version}-{target}"
        assert filled(metadata["pkg-url"]) == f"{downloads}/{folder}.tar.gz", (crate, target)
        assert filled(metadata["bin-dir"]) == f"{folder}/bin/{crate}", (crate, target)
END

echo 'packages.sh: all checks passed'
