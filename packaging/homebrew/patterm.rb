# A formula for a tap. `packaging/fill-in` writes the version and the checksums of a release into it.
class Patterm < Formula
  desc "Terminal multiplexer for coding agents, with a headless half for scripts"
  homepage "https://github.com/patterm/patterm"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "https://github.com/patterm/patterm/releases/download/v@VERSION@/patterm-@VERSION@-aarch64-apple-darwin.tar.gz"
      sha256 "@SHA256 aarch64-apple-darwin@"
    end
    on_intel do
      url "https://github.com/patterm/patterm/releases/download/v@VERSION@/patterm-@VERSION@-x86_64-apple-darwin.tar.gz"
      sha256 "@SHA256 x86_64-apple-darwin@"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/patterm/patterm/releases/download/v@VERSION@/patterm-@VERSION@-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256 aarch64-unknown-linux-musl@"
    end
    on_intel do
      url "https://github.com/patterm/patterm/releases/download/v@VERSION@/patterm-@VERSION@-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256 x86_64-unknown-linux-musl@"
    end
  end

  def install
    bin.install Dir["bin/*"]
    man1.install Dir["share/man/man1/*"]
    bash_completion.install Dir["share/bash-completion/completions/*"]
    zsh_completion.install Dir["share/zsh/site-functions/*"]
    fish_completion.install Dir["share/fish/vendor_completions.d/*"]
    doc.install Dir["share/doc/patterm/*"]
    pkgshare.install "share/patterm/presets"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/patterm --version")
    assert_match version.to_s, shell_output("#{bin}/vtr --version")
  end
end
