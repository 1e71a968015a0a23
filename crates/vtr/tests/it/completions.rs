//! Completion scripts, and names while they are typed.

use crate::stage::{Stage, run};

#[test]
fn every_shell_has_a_script() {
    let stage = Stage::empty();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = stage.vtr(&["completions", shell]).ok();
        assert!(script.contains("VTR_COMPLETE"), "{shell}: {script}");
    }
    stage.vtr(&["completions", "tcsh"]).failed(2, &["tcsh"]);
}

/// What the bash script asks for when TAB is pressed on the last word.
fn candidates(stage: &Stage, words: &[&str]) -> Vec<String> {
    let mut command = stage.command(&["--"]);
    command.env("VTR_COMPLETE", "bash").env("_CLAP_COMPLETE_INDEX", words.len().to_string()).env("_CLAP_IFS", "\n");
    command.env("_CLAP_COMPLETE_COMP_TYPE", "9").env("_CLAP_COMPLETE_SPACE", "true");
    run(command.arg("vtr").args(words)).ok().lines().map(str::to_owned).collect()
}

#[test]
fn session_names_complete_live() {
    let stage = Stage::new();
    stage.spawn_cat("codex");
    stage.spawn_cat("compile");
    stage.spawn_cat("shell");
    assert_eq!(candidates(&stage, &["screen", "co"]), ["codex", "compile"]);
    assert_eq!(candidates(&stage, &["info", "a:s"]), ["a:shell"]);
    assert_eq!(candidates(&stage, &["rm", "codex", "sh"]), ["shell"]);
    assert!(candidates(&stage, &["sc"]).contains(&"screen".to_owned()));
}

#[test]
fn completing_without_a_coordinator_is_silent() {
    let stage = Stage::empty();
    assert!(candidates(&stage, &["screen", "zz"]).is_empty());
}
