//! The command line besides running: help, version, completions, manual pages.

use crate::stage::Stage;

#[test]
fn without_an_interface_it_says_what_there_is() {
    let stage = Stage::new();
    stage.patterm(&[]).failed(3, &["no terminal interface yet", "--headless"]);
    let ran = stage.patterm(&["--json"]).failed(3, &["no_interface"]);
    let error: serde_json::Value = serde_json::from_str(&ran.stderr).unwrap();
    assert!(error["error"]["hint"].as_str().unwrap().contains("--headless"));
}

#[test]
fn help_version_completions_and_pages() {
    let stage = Stage::new();
    let help = stage.patterm(&["--help"]).ok();
    for word in ["--headless", "--mcp-http", "--debug", "--profile", "Exit codes", "mcp-stdio"] {
        assert!(help.contains(word), "{word}");
    }
    assert!(stage.patterm(&["--version"]).ok().starts_with("patterm "));
    for shell in ["bash", "zsh", "fish"] {
        assert!(stage.patterm(&["completions", shell]).ok().contains("headless"), "{shell}");
    }
    stage.patterm(&["man", "pages"]).ok();
    assert!(std::fs::read_to_string(stage.path("project/pages/patterm.1")).unwrap().contains("headless"));
    stage.patterm(&["--wrong"]).failed(2, &["--wrong"]);
}
