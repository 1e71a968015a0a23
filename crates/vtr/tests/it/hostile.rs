//! A malicious coordinator: every text of every answer could drive the reader's terminal. The messages are generated
//! from the protocol's own description, so that new fields are hostile as well.

mod coordinator;
mod message;

use crate::stage::{FinishedCommand, Stage, VTR, run};

use self::coordinator::{Conduct, HostileCoordinator};

/// Sets a title, clears the screen, changes the text direction, and imitates lines of ours.
pub(super) const HOSTILE: &str =
    "\x1b]0;PWNED\x07a\u{9b}2J\u{90}q\x7f\u{202e}\u{2066}\u{2028}\0\tb\r\nvtr: FALSE\nhint: FALSE\n\x1b[31mFALSE c";

/// Every command that prints a coordinator's texts.
const COMMANDS: [&[&str]; 24] = [
    &["ls"],
    &["info", "x"],
    &["screen", "x"],
    &["screen", "x", "--ansi"],
    &["screen", "x", "--cells"],
    &["grep", "x", "a", "-C", "2"],
    &["wait", "x", "a", "--timeout", "1s"],
    &["idle", "x", "--timeout", "1s"],
    &["spawn", "x"],
    &["spawn", "x", "--wait", "a", "--timeout", "1s", "--", "cat"],
    &["send", "x", "a"],
    &["send", "x", "a", "--wait", "a", "--timeout", "1s"],
    &["key", "x", "enter"],
    &["raw", "x", "00"],
    &["resize", "x", "80", "24"],
    &["kill", "x"],
    &["rm", "x", "y"],
    &["rename", "x", "y"],
    &["record", "x", "start"],
    &["record", "x", "status"],
    &["record", "x", "stop"],
    &["record", "x", "dump"],
    &["version", "--server"],
    &["config", "resolve"],
];

fn is_harmful(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

/// No control characters except our own newlines, and no line that somebody else began.
#[track_caller]
fn assert_harmless(text: &str, context: &dyn std::fmt::Debug) {
    let harmful: String = text.chars().filter(|&c| c != '\n' && is_harmful(c)).collect();
    assert!(harmful.is_empty(), "{context:?} printed {harmful:?} in {text:?}");
    // A recording is a file of lines.
    let recording = text.contains("\\u001b]0;");
    let forged = |line: &&str| ["FALSE", "vtr: FALSE", "hint: FALSE"].iter().any(|begin| line.starts_with(begin));
    let forged = text.lines().find(forged).filter(|_| !recording);
    assert!(forged.is_none(), "{context:?} printed {text:?}");
}

#[track_caller]
fn assert_ran_harmlessly(ran: &FinishedCommand, context: &dyn std::fmt::Debug) {
    assert!(ran.code.is_some_and(|code| code <= 5), "{context:?}: {ran:?}");
    assert_harmless(&ran.stdout, context);
    assert_harmless(&ran.stderr, context);
    for line in ran.stderr.lines() {
        let ours = ["vtr: ", "hint: ", "  ", "{"].iter().any(|begin| line.starts_with(begin));
        assert!(ours, "{context:?} said {line:?}");
    }
}

#[test]
fn no_text_of_an_answer_reaches_the_terminal_raw() {
    let stage = Stage::empty();
    let looks = regex::Regex::new("\x1b\\[[0-9;:]*m").unwrap();
    for conduct in Conduct::ALL {
        let _coordinator = HostileCoordinator::serve(&stage.path("run/h.sock"), conduct);
        for words in COMMANDS {
            for json in [&[][..], &["--json"]] {
                if words.contains(&"--ansi") && !json.is_empty() {
                    continue;
                }
                let ran = run(stage.bare().args(words).args(json).args(["--socket", "run/h.sock"]));
                let context = (conduct, words, json);
                if words.contains(&"--ansi") {
                    assert_harmless(&looks.replace_all(&ran.stdout, ""), &context);
                    continue;
                }
                assert_ran_harmlessly(&ran, &context);
                if !json.is_empty() || words.contains(&"--cells") {
                    let dump = words.contains(&"dump");
                    for line in ran.stdout.lines().filter(|_| !dump) {
                        let _: serde_json::Value = serde_json::from_str(line).unwrap();
                    }
                }
            }
        }
    }
}

#[test]
fn a_name_makes_no_row() {
    let stage = Stage::empty();
    let _coordinator = HostileCoordinator::serve(&stage.path("run/h.sock"), Conduct::Answers(0));
    let listed = stage.vtr(&["ls", "--socket", "run/h.sock"]).ok();
    assert_eq!(listed.lines().count(), 1 + message::REPEATED, "{listed}");
}

/// If colours are shown, only our own sequences are added.
#[test]
fn on_a_terminal_only_our_own_looks_are_written() {
    let stage = Stage::new();
    let socket = stage.path("run/h.sock");
    let _coordinator = HostileCoordinator::serve(&socket, Conduct::Answers(1));
    let looks = regex::Regex::new("\x1b\\[[0-9;:]*m").unwrap();
    for (number, words) in COMMANDS.iter().enumerate() {
        let (name, file) = (format!("look{number}"), stage.path(&format!("{number}.cast")));
        let record = format!("--record={}", file.display());
        // Recording begins on request: the first event is the screen as it was before.
        let begin = ["--", "sh", "-c", "read go; exec \"$@\"", "sh", VTR];
        let ends = ["--socket", socket.to_str().unwrap()];
        stage.vtr(&[&["spawn", &name, &record], &begin[..], words, &ends].concat()).ok();
        stage.vtr(&["send", &name, "", "--enter"]).ok();
        let info = stage.see_end(&name);
        assert_eq!(info["title"], "", "{words:?}");
        let recorded = stage.vtr(&["record", &name, "dump"]).ok();
        let events = recorded.lines().skip(1).map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let outputs = events.filter(|event| event[1] == "o").skip(1);
        let printed: String = outputs.map(|event| event[2].as_str().unwrap().to_owned()).collect();
        assert!(printed.contains("PWNED") || !words.contains(&"ls"), "{words:?}: {printed:?}");
        assert_harmless(&looks.replace_all(&printed.replace("\r\n", "\n"), ""), words);
    }
}

#[test]
fn what_a_command_complains_of_is_cleaned() {
    let stage = Stage::empty();
    let script = format!("printf '%s' '{}' >&2; exit 1", HOSTILE.replace('\0', ""));
    let command = serde_json::to_string(&["sh", "-c", &script]).unwrap();
    for others in ["", "[[coordinators]]\nname = \"other\"\ncommand = [\"false\"]\n"] {
        stage.write_config(&format!("[[coordinators]]\nname = \"far\"\ncommand = {command}\n{others}"));
        for words in [&["ls"][..], &["info", "x"], &["version", "--server"], &["config", "resolve"], &["config", "ls"]]
        {
            assert_ran_harmlessly(&stage.by_config(words), &words);
            assert_ran_harmlessly(&stage.by_config(&[words, &["--json"]].concat()), &words);
        }
    }
}

#[test]
fn names_that_are_none_are_not_offered_for_completion() {
    let stage = Stage::empty();
    let _coordinator = HostileCoordinator::serve(&stage.path("run/h.sock"), Conduct::Answers(0));
    let mut command = stage.bare();
    command.env("VTR_COMPLETE", "bash").env("_CLAP_COMPLETE_INDEX", "2").env("_CLAP_IFS", "\n");
    command.env("_CLAP_COMPLETE_COMP_TYPE", "9").env("_CLAP_COMPLETE_SPACE", "true");
    command.env("VTR_SOCKET", stage.path("run/h.sock"));
    let offered = run(command.args(["--", "vtr", "info", ""])).ok();
    assert!(!offered.contains("PWNED"), "{offered:?}");
}

/// An error from outside the protocol is shown as received, and does not count as silence.
#[test]
fn a_refusal_of_another_kind_is_told() {
    let stage = Stage::empty();
    let _coordinator = HostileCoordinator::serve(&stage.path("run/h.sock"), Conduct::RefusesPlainly(7));
    let ran = stage.vtr(&["info", "x", "--socket", "run/h.sock"]);
    ran.failed(5, &["the coordinator h refused (PermissionDenied)", "PWNED"]);
}
