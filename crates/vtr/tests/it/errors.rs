//! Each refusal: its exit code, its kind, and its advice.

use crate::stage::Stage;

#[test]
fn an_unknown_session_is_said_by_every_command() {
    let stage = Stage::new();
    let commands: [&[&str]; 13] = [
        &["info", "nope"],
        &["screen", "nope"],
        &["grep", "nope", "x"],
        &["send", "nope", "x"],
        &["key", "nope", "x"],
        &["raw", "nope", "00"],
        &["resize", "nope", "80", "24"],
        &["wait", "nope", "x"],
        &["idle", "nope"],
        &["kill", "nope"],
        &["rm", "nope"],
        &["rename", "nope", "x"],
        &["record", "nope", "status"],
    ];
    for words in commands {
        stage.vtr(words).failed(1, &["nope", "`vtr ls` lists"]);
        let ran = stage.vtr(&[words, &["--json"]].concat()).failed(1, &[]);
        let error: serde_json::Value = serde_json::from_str(&ran.stderr).unwrap();
        assert_eq!(error["error"]["kind"], "not_found", "{words:?}");
        assert_eq!(ran.stdout, "", "{words:?}");
    }
}

#[test]
fn a_name_that_is_nearly_right_is_guessed() {
    let stage = Stage::new();
    stage.spawn_cat("codex-1");
    stage.vtr(&["screen", "codx-1"]).failed(1, &["'codx-1'", "did you mean 'codex-1'?", "`vtr ls`"]);
    assert!(!stage.vtr(&["screen", "build"]).failed(1, &["'build'"]).stderr.contains("did you mean"));
}

#[test]
fn refusals_of_the_coordinator() {
    let stage = Stage::new();
    stage.spawn_cat("x");
    stage.vtr(&["spawn", "done", "--", "true"]).ok();
    stage.see_end("done");
    stage.vtr(&["spawn", "x", "--", "cat"]).failed(5, &["x"]);
    stage.vtr(&["rename", "done", "x"]).failed(5, &["x"]);
    stage.vtr(&["spawn", "y", "--", "/no/such/program"]).failed(5, &["/no/such/program"]);
    stage.vtr(&["spawn", "y", "--cwd", "/no/such/folder", "--", "cat"]).failed(2, &["/no/such/folder"]);
    for words in [["send", "done", "x"], ["key", "done", "x"], ["raw", "done", "00"]] {
        stage.vtr(&words).failed(5, &["not running"]);
    }
    stage.vtr(&["kill", "done"]).failed(5, &["not running"]);
    assert_eq!(
        stage.vtr(&["ls", "--json"]).json()["sessions"].as_array().unwrap().len(),
        2,
        "nothing is left of failures"
    );
}

/// Programs that read standard error parse every line of it.
#[test]
fn misuse_is_json_when_asked_for() {
    let stage = Stage::empty();
    for words in [["ls", "--json", "--bogus"], ["resize", "x", "--json"], ["nosuch", "--json", "x"]] {
        let ran = stage.vtr(&words).failed(2, &[]);
        let error: serde_json::Value = serde_json::from_str(&ran.stderr).unwrap();
        assert_eq!(error["error"]["kind"], "usage", "{words:?}");
        let [message, hint] = ["message", "hint"].map(|key| error["error"][key].as_str().unwrap());
        assert!(!message.is_empty() && !message.starts_with("error") && hint.contains("Usage"), "{error}");
    }
    stage.vtr(&["--json", "--help"]).ok();
    // After "--" it belongs to the program.
    assert!(stage.vtr(&["spawn", "--bogus", "--", "x", "--json"]).failed(2, &[]).stderr.starts_with("vtr: "));
}

#[test]
fn a_socket_that_is_none() {
    let stage = Stage::empty();
    let plain = stage.path("plain");
    std::fs::write(&plain, "").unwrap();
    for command in ["ls", "dial-stdio"] {
        stage.by_config(&[command, "--socket", plain.to_str().unwrap()]).failed(4, &["plain is not a socket"]);
    }
}

#[test]
fn wrong_arguments() {
    let stage = Stage::new();
    stage.spawn_cat("x");
    stage.vtr(&["grep", "x", "("]).failed(2, &["("]);
    stage.vtr(&["spawn", "y", "--wait", "(", "--", "cat"]).failed(2, &["("]);
    stage.vtr(&["info", "y"]).failed(1, &["y"]);
    for size in [["1", "24"], ["2001", "24"], ["80", "0"], ["80", "1001"], ["wide", "24"]] {
        stage
            .vtr(&["resize", "x", size[0], size[1]])
            .failed(2, &[if size[1] == "24" { "2 to 2000" } else { "1 to 1000" }]);
    }
    stage.vtr(&["wait", "x", "a(?=b)"]).failed(2, &["look"]);
    stage.vtr(&["key", "x", "hyper-key"]).failed(2, &["hyper-key"]);
    stage.vtr(&["kill", "x", "--signal", "NOPE"]).failed(2, &["NOPE"]);
    stage.vtr(&["raw", "x", "abc"]).failed(2, &["whole bytes", "two hex digits"]);
    stage.vtr(&["rename", "x", "a b"]).failed(2, &["session name"]);
    stage.vtr(&["spawn", "a/b", "--", "cat"]).failed(2, &["session name"]);
    stage.vtr(&["resize", "x", "0", "24"]).failed(2, &["0"]);
    stage.vtr(&["wait", "x", "y", "--timeout", "soon"]).failed(2, &["soon"]);
    stage.vtr(&["spawn", "y", "--env", "novalue"]).failed(2, &["NAME=VALUE"]);
    stage.vtr(&["spawn", "y", "--cmd", "x", "--", "y"]).failed(2, &["--cmd"]);
    stage.vtr(&["info", "a:"]).failed(2, &["coordinator:session"]);
    stage.vtr(&["dance"]).failed(2, &["dance"]);
    stage.vtr(&[]).failed(2, &["Usage"]);
    assert!(stage.vtr(&["--help"]).ok().contains("Exit codes"));
}

#[test]
fn more_than_a_megabyte_at_once_is_refused() {
    let stage = Stage::new();
    stage.spawn_cat("x");
    let ran = stage.vtr_reading(&["raw", "x", "-"], &"00".repeat((1 << 20) + 1));
    assert!(matches!(ran.code, Some(2 | 5)), "{ran:?}");
    stage.vtr(&["send", "x", "-e", "still here"]).ok();
    stage.see("x", "still here");
}

#[test]
fn no_coordinator() {
    let stage = Stage::empty();
    let ran = stage.vtr(&["ls", "--socket", "none.sock"]);
    ran.failed(4, &["none.sock", "vtr serve"]);
    let ran = stage.vtr(&["info", "x", "--socket", "none.sock", "--json"]).failed(4, &[]);
    let error: serde_json::Value = serde_json::from_str(&ran.stderr).unwrap();
    assert_eq!(error["error"]["kind"], "unreachable");
    for words in [["dial-stdio"], ["mcp"]] {
        stage.vtr(&[&words[..], &["--socket", "none.sock"]].concat()).failed(4, &["none.sock"]);
    }
}

#[test]
fn a_socket_that_is_no_coordinator() {
    let stage = Stage::empty();
    let socket = stage.path("run/other.sock");
    let listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let answering = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        std::io::Write::write_all(&mut stream, b"220 mail\r\n").unwrap();
    });
    stage.vtr(&["ls", "--socket", socket.to_str().unwrap()]).failed(4, &["other.sock"]);
    answering.join().unwrap();
}

#[test]
fn errors_call_a_session_what_the_caller_called_it() {
    let stage = Stage::new();
    stage.vtr(&["spawn", "short", "--", "true"]).ok();
    let id = stage.see_end("short")["id"].as_str().unwrap().to_owned();
    let said = stage.vtr(&["send", "short", "hello"]).failed(5, &["session 'short' is not running"]).stderr;
    assert!(!said.contains(&id), "{said}");
    stage.vtr(&["send", &id, "hello"]).failed(5, &[&format!("session {id} is not running")]);
}

#[test]
fn mistakes_are_told_with_what_was_meant() {
    let stage = Stage::new();
    stage.spawn_cat("s");
    for (words, said) in [
        (&["spawn", "x", "ls", "-la"][..], "a program and its arguments go after `--`"),
        (&["send", "s", "a", "b"], "needs quotes"),
        (&["resize", "s", "80x24"], "for example 80 24"),
        (&["wait", "s", "a", "--timeout", "abc"], "write a number and a unit"),
        (&["key", "s", "super+x"], "sends nothing to this program"),
        (&["spawn", "-x"], "unexpected argument"),
        (&["spawn", "--", "-x"], "NAME"),
        (&["spawn", ".."], "would be taken for an option or a folder"),
        (&["rename", "s", ".."], "would be taken for an option or a folder"),
    ] {
        let ran = stage.vtr(words).failed(2, &[said]);
        assert!(ran.stderr.starts_with("vtr: "), "{ran:?}");
    }
    // The headings, and the row without its age, which may change between the two commands.
    let listed = |command: &str| {
        let text = stage.vtr(&[command]).ok();
        text.split_whitespace().take(10).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(listed("list"), listed("ls"));
}

#[test]
fn help_speaks_of_the_command_alone() {
    let stage = Stage::empty();
    for command in ["spawn", "send", "rm", "wait"] {
        let help = stage.vtr(&[command, "--help"]).ok();
        assert!(
            !help.contains("process_id") && !help.contains("close_process") && !help.contains("operation"),
            "{help}"
        );
    }
}
