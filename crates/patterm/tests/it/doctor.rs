//! `patterm doctor`: what it finds, what it says to do, and that it changes nothing and tells no secrets.

use std::{
    fs,
    os::unix::{fs::PermissionsExt, net::UnixListener},
    process::{Command, Stdio},
};

use rustix::process::Signal;
use serde_json::Value;
use testkit::{wait_until, wait_until_some};
use vt::Size;

use crate::{
    screen_stage::Face,
    stage::{FinishedCommand, PATTERM, Stage, TestChild, is_gone, run},
};

/// With the stage's programs and the usual tools, but none of the agents that this machine may have.
fn doctor(stage: &Stage, words: &[&str]) -> Command {
    let mut command = stage.command(&[&["doctor"], words].concat());
    command.env("PATH", format!("{}:/usr/bin:/bin", stage.path("bin").display()));
    command
}

/// The finding whose text contains `text`.
#[track_caller]
fn finding<'a>(report: &'a Value, text: &str) -> &'a Value {
    let findings = report["findings"].as_array().unwrap();
    let found = findings.iter().find(|finding| finding["text"].as_str().unwrap().contains(text));
    found.unwrap_or_else(|| panic!("{text:?} is not in {report:#}"))
}

#[test]
fn versions_of_agents_are_judged_and_one_that_hangs_is_given_up() {
    let stage = Stage::new();
    // It may not even end when it is asked to.
    stage.install_program("claude", "trap '' HUP TERM; while :; do sleep 60; done");
    stage.install_program("codex", "echo 'codex-cli 0.169.0'");
    stage.install_program("opencode", "echo 99.1.2");
    stage.install_program("gemini", r"printf 'no number \033[2J'");
    let report = run(&mut doctor(&stage, &["--json"])).json();
    let claude = finding(&report, "claude: ");
    assert!(claude["state"] == "warning" && claude["text"].as_str().unwrap().contains("within 10 s"), "{claude}");
    assert!(claude["advice"].as_str().unwrap().contains("bin/claude --version"), "{claude}");
    let codex = finding(&report, "codex 0.169.0: ");
    assert!(codex["state"] == "ok" && codex["text"].as_str().unwrap().contains("tested with this version"), "{codex}");
    let opencode = finding(&report, "opencode 99.1.2: ");
    assert!(
        opencode["state"] == "note" && opencode["advice"].as_str().unwrap().contains("patterm report"),
        "{opencode}"
    );
    assert_eq!(finding(&report, "printed no version")["state"], "warning");
    assert_eq!((&report["program"], &report["faults"]), (&"patterm".into(), &0.into()));
    assert_eq!(report["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn a_signal_ends_it_and_what_it_asked() {
    let stage = Stage::new();
    let file = stage.path("pid");
    stage.install_program("claude", &format!("trap '' HUP TERM; echo $$ >'{}'; sleep 1000", file.display()));
    let child = TestChild::start(doctor(&stage, &[]).stdout(Stdio::piped()).stderr(Stdio::piped()));
    let pid: i64 = wait_until_some("claude is asked", || fs::read_to_string(&file).ok()?.trim().parse().ok());
    child.signal(Signal::TERM);
    FinishedCommand::of(child).failed(5, &["ended by TERM"]);
    wait_until("claude has ended", || is_gone(pid));
}

#[test]
fn nothing_of_the_project_is_started_and_nothing_is_written() {
    let stage = Stage::new();
    let marker = stage.path("marker");
    let touch = format!("touch '{}'; echo 1.0", marker.display());
    stage.install_program("evil", &touch);
    fs::write(stage.path("project/claude"), format!("#!/bin/sh\n{touch}\n")).unwrap();
    fs::set_permissions(stage.path("project/claude"), fs::Permissions::from_mode(0o755)).unwrap();
    let folder = stage.path("project/.patterm/presets/agents");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("evil.json"), r#"{ "argv": ["evil"], "versions": { "tested": ["1.0"] } }"#).unwrap();
    let mut command = doctor(&stage, &["--json"]);
    command.env("PATH", format!(".:{}:/usr/bin:/bin", stage.path("bin").display()));
    let report = run(&mut command).json();
    assert!(!marker.exists(), "{report:#}");
    assert!(finding(&report, "presets of its own for evil")["advice"].as_str().unwrap().contains("trust show"));
    assert_eq!(finding(&report, "none of the agent CLIs")["state"], "warning");
    for (folder, expected) in [("config/patterm", 0), ("data", 0), ("state", 0), ("run", 0), ("home", 0), ("tmp", 0)] {
        assert_eq!(fs::read_dir(stage.path(folder)).unwrap().count(), expected, "{folder}");
    }
}

#[test]
fn faults_of_files_are_named_without_their_content() {
    let stage = Stage::new();
    stage.write_config(r#"{ "theme": "blue", "max_deph": 3 }"#);
    let folder = stage.path("config/patterm/presets/agents");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("mine.json"), "{\n \"argv\": [\"mine\"],\n \"env\": \"TOKEN=hush\" }").unwrap();
    fs::create_dir_all(stage.path("project/.patterm")).unwrap();
    fs::write(stage.path("project/.patterm/start.json"), r#"{ "open": [{ "agent": 3 }] }"#).unwrap();
    let ran = run(doctor(&stage, &["--json"]).env("API_KEY", "hush-hush").env("LANG", "C"));
    assert!(ran.code == Some(1) && !ran.stdout.contains("hush"), "{ran:?}");
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(finding(&report, "there is no theme 'blue'")["state"], "warning");
    assert_eq!(finding(&report, "max_deph")["state"], "warning");
    let preset = finding(&report, "mine.json, line 3");
    assert!(preset["state"] == "fault" && preset["advice"].as_str().unwrap().contains("presets check"), "{preset}");
    assert_eq!(finding(&report, "start.json of this project, line 1")["state"], "fault");
    assert_eq!(finding(&report, "LANG=C is no UTF-8")["state"], "note");
    // Then there is nothing that a run could start with.
    stage.write_config("{ oops");
    let ran = run(&mut doctor(&stage, &[]));
    assert!(ran.code == Some(1) && ran.stdout.contains("✗ fault") && ran.stdout.contains("config.json: "), "{ran:?}");
    assert!(ran.stdout.contains("             `patterm config default` prints"), "{ran:?}");
    assert!(ran.stdout.trim_end().lines().last().unwrap().ends_with("3 faults"), "{ran:?}");
}

#[test]
fn folders_and_sockets_are_looked_at() {
    let stage = Stage::new();
    let headless = stage.headless(&[]);
    drop(UnixListener::bind(stage.path("run/patterm/4711.sock")).unwrap());
    let data = stage.path("home/data");
    fs::create_dir_all(&data).unwrap();
    let report = run(doctor(&stage, &["--json"]).env("XDG_DATA_HOME", &data)).json();
    assert_eq!(finding(&report, "1 patterm listens in ")["state"], "ok");
    let stale = finding(&report, "nobody listens any more on 4711.sock");
    assert!(stale["state"] == "note" && stale["advice"].as_str().unwrap().contains("removes it"), "{stale}");
    assert!(stage.path("run/patterm/4711.sock").exists());
    assert_eq!(finding(&report, "the data folder ~/data/patterm")["state"], "ok");
    drop(headless);
    fs::set_permissions(stage.path("run/patterm"), fs::Permissions::from_mode(0o755)).unwrap();
    let ran = run(&mut doctor(&stage, &[]));
    assert!(ran.code == Some(1) && ran.stdout.contains("open to others (mode 755)"), "{ran:?}");
}

#[test]
fn in_a_pipe_the_terminal_is_not_asked() {
    let stage = Stage::new();
    let ran = run(doctor(&stage, &[]).env("TERM", "x\u{1b}[2J").env("TMUX", "/secret/tmux.sock,1,0"));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for word in ["no terminal", "TERM is x\u{fffd}[2J, COLORTERM is not set", "tmux is between", "extended-keys"] {
        assert!(ran.stdout.contains(word), "{word}: {ran:?}");
    }
    assert!(!ran.stdout.contains("secret") && !ran.stdout.contains('\u{1b}'), "{ran:?}");
}

#[test]
fn a_terminal_is_asked_and_left_as_it_was() {
    let stage = Stage::new();
    let command = doctor(&stage, &[]);
    let environment = command.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())));
    let terminal = [("LANG", "C.UTF-8"), ("TERM", "xterm-256color")].map(|(name, value)| (name.into(), value.into()));
    let line = "stty -g >before; \"$0\" doctor; stty -g >after; cmp before after && echo as before";
    let argv = ["env", "-u", "PATTERM", "-u", "PATTERM_PROCESS_ID", "sh", "-c", line, PATTERM];
    let face = Face::run(
        argv.map(Into::into).to_vec(),
        environment.chain(terminal).collect(),
        stage.path("project"),
        Size::new(120, 70),
    );
    face.shows("the end", "as before");
    for answer in
        ["size: 120 columns, 70 rows", "it calls itself", "the kitty protocol, so", "synchronized output: yes"]
    {
        face.shows(answer, answer);
    }
    face.shows("the prompt's own screen", "colours: 24 bits");
}
