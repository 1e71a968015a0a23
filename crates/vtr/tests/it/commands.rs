//! What each command does.

use testkit::wait_until;

use crate::stage::Stage;

#[test]
fn ls_prints_the_table_of_the_specification() {
    let stage = Stage::new();
    stage.vtr(&["spawn", "codex", "--cols", "120", "--rows", "40", "--", "cat"]).ok();
    stage.vtr(&["spawn", "done", "--", "sh", "-c", "exit 3"]).ok();
    stage.see_end("done");
    let table = stage.vtr(&["ls"]).ok();
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["COORDINATOR", "SESSION", "STATUS", "COLSxROWS", "AGE", "REPORT"]);
    assert_eq!(rows[1][..4], ["a", "codex", "running", "120x40"]);
    assert_eq!(rows[2][..4], ["a", "done", "exited(3)", "80x24"]);
    assert!(rows[1][4].ends_with('s'), "{table}");
    assert!(table.lines().all(|line| line == line.trim_end()), "no trailing blanks: {table:?}");
}

#[test]
fn ls_json_has_the_documented_keys() {
    let stage = Stage::new();
    assert_eq!(stage.vtr(&["ls", "--json"]).json(), serde_json::json!({ "sessions": [], "unreachable": [] }));
    stage.spawn_cat("x");
    let session = stage.vtr(&["ls", "--json"]).json()["sessions"][0].clone();
    assert_eq!(session["coordinator"], "a");
    assert_eq!(session["name"], "x");
    assert_eq!(session["status"], "running");
    assert_eq!((session["cols"].as_i64(), session["rows"].as_i64()), (Some(80), Some(24)));
    assert!(session["created_at"].as_str().unwrap().ends_with('Z'), "{session}");
    assert_eq!(session["argv"], serde_json::json!(["cat"]));
    assert!(session.get("exit_code").is_none(), "{session}");
}

#[test]
fn spawn_passes_everything_on() {
    let stage = Stage::new();
    let folder = stage.path("home");
    let script = r#"echo "[$A|$B|$(pwd)|$(stty size)]"; cat"#;
    let folder_text = folder.to_str().unwrap();
    let words = [
        "spawn",
        "x",
        "--cmd",
        script,
        "--cwd",
        folder_text,
        "--cols",
        "100",
        "--rows",
        "30",
        "--env",
        "A=1",
        "--env",
        "B=x=y",
    ];
    stage.vtr(&words).ok();
    let real = folder.canonicalize().unwrap();
    stage.see("x", &format!(r"\[1\|x=y\|{}\|30 100\]", real.display()));
}

#[test]
fn spawn_without_a_command_is_a_shell_in_the_home_folder() {
    let stage = Stage::new();
    stage.vtr(&["spawn", "sh"]).ok();
    // A line that is typed before the prompt is answered after it.
    stage.see("sh", r"^\$");
    stage.vtr(&["send", "sh", "-e", "echo \"<$(pwd)>\""]).ok();
    let home = stage.path("home").canonicalize().unwrap();
    stage.see("sh", &format!("^<{}>$", home.display()));
    assert_eq!(stage.vtr(&["info", "sh", "--json"]).json()["kind"], "terminal");
}

#[test]
fn a_relative_folder_is_the_callers() {
    let stage = Stage::new();
    stage.vtr(&["spawn", "x", "--cwd", "state", "--", "pwd"]).ok();
    stage.see("x", "/state$");
}

#[test]
fn spawn_waits_for_what_was_printed_before_it_could_ask() {
    let stage = Stage::new();
    let words = ["spawn", "x", "--wait", "rea.y", "--timeout", "60s", "--cmd", "echo ready; cat"];
    assert_eq!(stage.vtr(&words).ok(), "x\nready\n");
    let reply = stage.vtr(&["spawn", "y", "--json", "--wait", "ready", "--cmd", "echo ready; cat"]).json();
    assert_eq!(reply["wait"]["matched"], true);
    assert_eq!(reply["name"], "y");
    let words = ["spawn", "z", "--wait", "never", "--timeout", "100ms", "--", "cat"];
    stage.vtr(&words).failed(3, &["nothing matched within 100ms"]);
    assert_eq!(stage.vtr(&["info", "z", "--json"]).json()["status"], "running", "it is there all the same");
}

#[test]
fn kill_says_when_it_did_not_end_anything() {
    let stage = Stage::new();
    // An interactive shell ignores TERM; its prompt shows that it is one.
    stage.vtr(&["spawn", "shell", "--env", "PS1=ready> "]).ok();
    stage.see("shell", "ready>");
    stage
        .vtr(&["kill", "shell"])
        .failed(3, &["shell got SIGTERM and still runs after 1s", "vtr kill shell --signal HUP"]);
    let ran = stage.vtr(&["kill", "shell", "--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(3), ""), "{ran:?}");
    assert!(ran.stdout.contains("\"state\":\"running\""), "{ran:?}");
    // Without a wait, or with a signal that does not end it, the command is done once the signal was sent.
    stage.vtr(&["kill", "shell", "--wait", "0s"]).ok();
    stage.vtr(&["kill", "shell", "--signal", "WINCH"]).ok();
    // The suggested command works, and the session has ended when it returns.
    stage.vtr(&["kill", "shell", "--signal", "HUP", "--wait", "60s"]).ok();
    assert_eq!(stage.vtr(&["info", "shell", "--json"]).json()["signal"], "SIGHUP");
    stage.vtr(&["kill", "shell", "--signal", "NOPE"]).failed(2, &["NOPE"]);
}

#[test]
fn info_tells_how_a_session_ended() {
    let stage = Stage::new();
    stage.vtr(&["spawn", "x", "--", "sh", "-c", "exit 7"]).ok();
    let info = stage.see_end("x");
    assert_eq!(info["exit_code"], 7);
    assert!(info["exited_at"].is_string() && info.get("signal").is_none(), "{info}");
    stage.spawn_cat("y");
    stage.vtr(&["kill", "y", "--signal", "KILL"]).ok();
    let info = stage.see_end("y");
    assert!(info["signal"].as_str().unwrap().contains("KILL") && info.get("exit_code").is_none(), "{info}");
    let text = stage.vtr(&["info", "x"]).ok();
    for line in [
        "Session:     x",
        "Status:      exited(7)",
        "Exit code:   7",
        "Size:        80x24",
        "Command:     sh -c exit 7",
    ] {
        assert!(text.contains(line), "{line:?} is not in {text}");
    }
}

#[test]
fn screen_shows_rows_under_a_heading() {
    let stage = Stage::new();
    stage.vtr(&["spawn", "x", "--cmd", "printf 'one\\n\\n  two'; cat"]).ok();
    stage.see("x", "two");
    assert_eq!(stage.vtr(&["screen", "x"]).ok(), "Screen: x (80x24)\none\n\n  two\n");
    let json = stage.vtr(&["screen", "x", "--json"]).json();
    assert_eq!(json["lines"].as_array().unwrap().len(), 24);
    assert_eq!(json["lines"][2], "  two");
    assert_eq!(json["cursor"], serde_json::json!({ "x": 5, "y": 2, "visible": true }));
    assert!(json.get("cells").is_none());
}

#[test]
fn screen_has_cells_and_colours() {
    let stage = Stage::new();
    stage.vtr(&["spawn", "x", "--cmd", "printf '\\033[1;38;2;1;2;3mA\\033[0m字B'; cat"]).ok();
    stage.see("x", "B");
    let json = stage.vtr(&["screen", "x", "--cells"]).json();
    let row = json["cells"][0].as_array().unwrap();
    assert_eq!(row.len(), 80);
    assert_eq!(row[0], serde_json::json!({ "char": "A", "fg": "#010203", "bg": null, "attributes": ["bold"] }));
    assert_eq!(
        (row[1]["char"].as_str(), row[2]["char"].as_str(), row[3]["char"].as_str()),
        (Some("字"), Some(""), Some("B"))
    );
    assert_eq!(stage.vtr(&["screen", "x", "--ansi"]).ok(), "\x1b[1;38;2;1;2;3mA\x1b[0m字B\n");
}

#[test]
fn grep_prints_lines_as_the_specification_does() {
    let stage = Stage::new();
    stage.vtr(&["spawn", "x", "--cmd", "for i in 0 1 2 3 4 5 6 7 8 9; do echo line $i; done; echo END; cat"]).ok();
    stage.see("x", "END");
    assert_eq!(stage.vtr(&["grep", "x", "line [37]"]).ok(), "scrollback:3: line 3\nscrollback:7: line 7\n");
    let with_context = stage.vtr(&["grep", "x", "line [37]", "-C", "1"]).ok();
    let expected = "scrollback:2: line 2\nscrollback:3: line 3\nscrollback:4: line 4\n--\n\
        scrollback:6: line 6\nscrollback:7: line 7\nscrollback:8: line 8\n";
    assert_eq!(with_context, expected);
    assert_eq!(stage.vtr(&["grep", "x", "line 3", "-B", "1"]).ok(), "scrollback:2: line 2\nscrollback:3: line 3\n");
    assert_eq!(stage.vtr(&["grep", "x", "line 3", "-A", "1"]).ok(), "scrollback:3: line 3\nscrollback:4: line 4\n");
    let cut = stage.vtr(&["grep", "x", "line", "--max", "2"]);
    assert!(cut.stderr.contains("more than 2 matches"), "{cut:?}");
    assert_eq!(cut.ok().lines().count(), 2);
    let json = stage.vtr(&["grep", "x", "line 3", "-A", "1", "--json"]).json();
    let found =
        serde_json::json!([{ "line_number": 3, "line": "line 3", "context_before": [], "context_after": ["line 4"] }]);
    assert_eq!((&json["matches"], &json["truncated"]), (&found, &false.into()));
    let none = stage.vtr(&["grep", "x", "nothing like it"]);
    assert_eq!((none.code, none.stdout.as_str(), none.stderr.as_str()), (Some(1), "", ""));
}

#[test]
fn text_keys_and_bytes_arrive() {
    let stage = Stage::new();
    let child = testkit::child_path().to_str().unwrap();
    stage.vtr(&["spawn", "x", "--", child, "raw", "print", "ready\\n", "hex"]).ok();
    stage.see("x", "ready");
    stage.vtr(&["send", "x", "hé"]).ok();
    stage.see("x", "68 ?c3 ?a9");
    stage.vtr(&["key", "x", "ctrl+c", "up"]).ok();
    stage.see("x", "03");
    stage.see("x", "1b ?5b ?41");
    stage.vtr(&["raw", "x", "00 FF"]).ok();
    stage.see("x", "00 ?ff");
    stage.vtr(&["send", "x", "--enter", "go"]).ok();
    stage.see("x", "67 ?6f ?0d");
    stage.vtr_reading(&["send", "x", "-"], "piped").ok();
    stage.see("x", "70 ?69 ?70 ?65 ?64");
}

#[test]
fn text_can_wait_for_its_answer() {
    let stage = Stage::new();
    stage.vtr(&["spawn", "x", "--cmd", "stty -echo; echo ready; while read l; do echo \"<$l>\"; done"]).ok();
    stage.see("x", "ready");
    assert_eq!(stage.vtr(&["send", "x", "-e", "one", "--wait", "<.*>"]).ok(), "<one>\n");
    let json = stage.vtr(&["send", "x", "-e", "two", "--wait", "<.*>", "--json"]).json();
    assert_eq!((&json["ok"], &json["wait"]["matched_line"]), (&true.into(), &"<two>".into()));
    stage.vtr(&["send", "x", "-e", "three", "--wait", "never", "--timeout", "50ms"]).failed(3, &["nothing matched"]);
}

#[test]
fn resize_reaches_the_program() {
    let stage = Stage::new();
    stage.vtr(&["spawn", "x", "--cmd", "trap 'stty size' WINCH; echo ready; while :; do sleep 0.05; done"]).ok();
    stage.see("x", "ready");
    let json = stage.vtr(&["resize", "x", "100", "30", "--json"]).json();
    assert_eq!((json["cols"].as_i64(), json["rows"].as_i64()), (Some(100), Some(30)));
    stage.see("x", "30 100");
    assert_eq!(stage.vtr(&["info", "x", "--json"]).json()["cols"], 100);
}

#[test]
fn kill_keeps_a_session_and_rm_takes_it_away() {
    let stage = Stage::new();
    stage.spawn_cat("x");
    stage.spawn_cat("y");
    stage.vtr(&["kill", "x"]).ok();
    assert!(stage.see_end("x")["signal"].as_str().unwrap().contains("TERM"));
    let removed = stage.vtr(&["rm", "x", "y", "--json"]).json();
    assert_eq!(removed["removed"], serde_json::json!(["a:x", "a:y"]));
    assert_eq!(stage.vtr(&["ls", "--json"]).json()["sessions"], serde_json::json!([]));
}

#[test]
fn a_renamed_session_is_found_by_its_new_name_and_its_id() {
    let stage = Stage::new();
    stage.spawn_cat("x");
    let id = stage.vtr(&["rename", "x", "y", "--json"]).json()["id"].as_str().unwrap().to_owned();
    stage.vtr(&["info", "y"]).ok();
    stage.vtr(&["info", &id]).ok();
    stage.vtr(&["info", "x"]).failed(1, &["x"]);
}

#[test]
fn a_recording_is_started_and_stopped() {
    let stage = Stage::new();
    stage.spawn_cat("x");
    assert_eq!(stage.vtr(&["record", "x", "status", "--json"]).json()["recording"], false);
    stage.vtr(&["record", "x", "start", "--file", "x.cast"]).ok();
    assert_eq!(stage.vtr(&["record", "x", "status", "--json"]).json()["recording"], true);
    stage.vtr(&["send", "x", "-e", "recorded"]).ok();
    stage.see("x", "recorded");
    let stopped = stage.vtr(&["record", "x", "stop", "--json"]).json();
    assert_eq!(stopped["recording"], false);
    let file = stage.path("x.cast");
    wait_until("the recording is written", || {
        std::fs::read_to_string(&file).is_ok_and(|text| text.contains("recorded"))
    });
}

#[test]
fn version_is_told() {
    let mut stage = Stage::new();
    assert_eq!(stage.vtr(&["version"]).ok(), format!("vtr {}\n", env!("CARGO_PKG_VERSION")));
    let json = stage.vtr(&["version", "--server", "--json"]).json();
    assert_eq!(json["coordinators"][0]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(json["coordinators"][0]["pid"], stage.server().pid());
}

#[test]
fn manual_pages_are_written() {
    let stage = Stage::empty();
    let files = stage.vtr(&["man", "man1", "--json"]).json()["files"].clone();
    for page in ["vtr.1", "vtr-spawn.1", "vtr-config.1"] {
        assert!(files.as_array().unwrap().contains(&page.into()), "{files}");
    }
    let page = std::fs::read_to_string(stage.path("man1/vtr-wait.1")).unwrap();
    assert!(page.contains("timeout") && page.contains("PATTERN"), "{page}");
}
