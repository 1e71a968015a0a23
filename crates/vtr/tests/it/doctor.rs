//! `vtr doctor`: what it finds, and that a bad config file is a finding like the others.

use std::{
    fs,
    os::unix::{
        fs::{DirBuilderExt, PermissionsExt},
        net::UnixListener,
    },
};

use serde_json::Value;

use crate::stage::{Stage, run};

/// The finding whose text contains `text`.
#[track_caller]
fn finding<'a>(report: &'a Value, text: &str) -> &'a Value {
    let findings = report["findings"].as_array().unwrap();
    let found = findings.iter().find(|finding| finding["text"].as_str().unwrap().contains(text));
    found.unwrap_or_else(|| panic!("{text:?} is not in {report:#}"))
}

#[test]
fn coordinators_are_asked_and_a_silent_one_is_a_warning() {
    let mut stage = Stage::empty();
    stage.serve("a", &[]);
    let run_folder = stage.path("run");
    drop(UnixListener::bind(run_folder.join("old.sock")).unwrap());
    // It accepts, and never answers.
    let _mute = UnixListener::bind(run_folder.join("mute.sock")).unwrap();
    let folder = run_folder.display();
    stage.write_config(&format!(
        "[[coordinators]]\npath = \"{folder}/*.sock\"\n[defaults]\ncoordinator_timeout = \"1s\"\n\
         [[coordinators]]\nname = \"far\"\ncommand = [\"sh\", \"-c\", \"exit 3 # --token=hush\"]\n"
    ));
    let report = stage.by_config(&["doctor", "--json"]).json();
    let here = finding(&report, "a (");
    assert!(here["state"] == "ok" && here["text"].as_str().unwrap().contains("the same version"), "{here}");
    for (text, reason) in
        [("old (", "nobody listens"), ("mute (", "no answer within 1s"), ("far (by its", "not answer")]
    {
        let silent = finding(&report, text);
        assert!(silent["state"] == "warning" && silent["text"].as_str().unwrap().contains(reason), "{silent}");
        assert!(silent["advice"].as_str().unwrap().contains("vtr config rm"), "{silent}");
    }
    assert!(!report.to_string().contains("hush"), "{report:#}");
    assert_eq!((&report["program"], &report["warnings"], &report["faults"]), (&"vtr".into(), &3.into(), &0.into()));
}

#[test]
fn bad_config_files_are_faults() {
    let stage = Stage::empty();
    stage.write_config("[defaults]\noutput_format = \"json\"\n");
    let report = stage.by_config(&["doctor"]).json();
    assert_eq!(finding(&report, "config.toml is right")["state"], "ok");
    assert!(stage.by_config(&["doctor", "--human"]).ok().ends_with("0 faults\n"));
    stage.write_config("hush = oops\n");
    fs::write(stage.path("config/vtr/server.toml"), "cols = 0\n").unwrap();
    let ran = stage.by_config(&["doctor"]);
    assert!(ran.code == Some(1) && ran.stdout.ends_with("2 faults\n") && !ran.stdout.contains("hush"), "{ran:?}");
    for word in
        ["config.toml: TOML parse error at line 1", "server.toml: use ", "             fix the file, or move it"]
    {
        assert!(ran.stdout.contains(word), "{word}: {ran:?}");
    }
}

#[test]
fn folders_and_sockets_are_looked_at_and_nothing_is_written() {
    let stage = Stage::empty();
    let sockets = stage.path("run/vtr");
    let report = run(stage.bare().args(["doctor", "--json"]).env("API_KEY", "hush")).json();
    assert!(!report.to_string().contains("hush"), "{report:#}");
    assert_eq!(finding(&report, "the folder for sockets")["state"], "ok");
    for (folder, expected) in [("run", 0), ("state", 0), ("home", 0), ("config/vtr", 0)] {
        assert_eq!(fs::read_dir(stage.path(folder)).unwrap().count(), expected, "{folder}");
    }
    fs::DirBuilder::new().mode(0o700).create(&sockets).unwrap();
    drop(UnixListener::bind(sockets.join("vtr.sock")).unwrap());
    let report = stage.by_config(&["doctor", "--json"]).json();
    assert_eq!(finding(&report, "nobody listens any more on vtr.sock")["state"], "note");
    assert!(sockets.join("vtr.sock").exists());
    fs::set_permissions(&sockets, fs::Permissions::from_mode(0o755)).unwrap();
    let ran = stage.by_config(&["doctor"]);
    assert!(ran.code == Some(1) && ran.stdout.contains("open to others (mode 755)"), "{ran:?}");
    let report = stage.by_config(&["doctor", "--json", "--socket", "none.sock"]);
    let report: Value = serde_json::from_str(&report.stdout).unwrap();
    assert_eq!(finding(&report, "none (")["state"], "warning", "it was named");
}
