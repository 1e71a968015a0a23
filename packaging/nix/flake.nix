# Builds patterm and vtr from the source: nix build 'github:patterm/patterm?dir=packaging/nix'
{
  description = "Terminal multiplexer for coding agents, with a headless half for scripts";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixpkgs-unstable";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "aarch64-darwin"
        "x86_64-darwin"
      ];
      each = nixpkgs.lib.genAttrs systems;
    in
    {
      packages = each (
        system:
        let
          pkgs = nixpkgs.legacyPackages.${system};
          source = ../..;
        in
        {
          default = pkgs.rustPlatform.buildRustPackage {
            pname = "patterm";
            version = (pkgs.lib.importTOML (source + "/Cargo.toml")).workspace.package.version;
            src = source;
            cargoLock.lockFile = source + "/Cargo.lock";
            cargoBuildFlags = [
              "-p"
              "patterm"
              "-p"
              "vtr"
            ];
            # CI runs the tests. They measure times and start many programs, which a package's build need not repeat.
            doCheck = false;
            nativeBuildInputs = [ pkgs.installShellFiles ];
            postInstall = ''
              for program in patterm vtr; do
                $out/bin/$program man manual
                for shell in bash zsh fish; do
                  $out/bin/$program completions $shell >$program.$shell
                done
                installShellCompletion --cmd $program --bash $program.bash --zsh $program.zsh --fish $program.fish
              done
              installManPage manual/*.1
            '';
            meta = {
              description = "Terminal multiplexer for coding agents, with a headless half for scripts";
              homepage = "https://github.com/patterm/patterm";
              license = [
                pkgs.lib.licenses.mit
                pkgs.lib.licenses.asl20
              ];
              mainProgram = "patterm";
              platforms = systems;
            };
          };
        }
      );
    };
}
