//! Many coordinators addressed as one.

use crate::stage::{Stage, TestChild, VTR, is_gone};

#[test]
fn what_is_started_is_named_as_it_is_found_again() {
    let stage = two();
    let started = stage.by_config(&["spawn", "b:zz", "--", "cat"]).ok();
    assert_eq!(started, "b:zz\n");
    stage.by_config(&["spawn", "b:aa", "--", "cat"]).ok();
    assert_eq!(stage.by_config(&["idle", started.trim(), "--idle", "1ms", "--json"]).json()["coordinator"], "b");
    let listed = stage.by_config(&["ls", "--json"]).json();
    let names: Vec<String> = listed["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("{}:{}", one["coordinator"], one["name"]))
        .collect();
    assert!(names.is_sorted(), "{names:?}");
}

/// Two coordinators that the config finds by a pattern.
fn two() -> Stage {
    let mut stage = Stage::empty();
    stage.serve("a", &[]);
    stage.serve("b", &[]);
    stage.write_config(&format!("[[coordinators]]\npath = \"{}/*.sock\"\n", stage.path("run").display()));
    stage
}

#[test]
fn sessions_are_found_wherever_they_are() {
    let stage = two();
    stage.by_config(&["spawn", "a:one", "--wait", "here", "--cmd", "echo here; cat"]).ok();
    stage.by_config(&["spawn", "b:two", "--", "cat"]).ok();
    let table = stage.by_config(&["ls"]).ok();
    let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|line| line.split_whitespace().take(2).collect()).collect();
    assert_eq!(rows, [["a", "one"], ["b", "two"]]);
    assert!(stage.by_config(&["screen", "one"]).ok().contains("here"));
    assert!(stage.by_config(&["screen", "a:one"]).ok().contains("here"));
    assert_eq!(stage.by_config(&["info", "two", "--json"]).json()["coordinator"], "b");
    stage.by_config(&["info", "b:one"]).failed(1, &["one"]);
    stage.by_config(&["info", "c:one"]).failed(1, &["\"c\"", "a, b"]);
    stage.by_config(&["info", "three"]).failed(1, &["three", "2 coordinators"]);
}

#[test]
fn an_ambiguous_name_lists_the_candidates() {
    let stage = two();
    for name in ["a:same", "b:same"] {
        stage.by_config(&["spawn", name, "--", "cat"]).ok();
    }
    stage.by_config(&["info", "same"]).failed(2, &["several coordinators", "a:same", "b:same"]);
    let ran = stage.by_config(&["rm", "same", "--json"]).failed(2, &[]);
    let error: serde_json::Value = serde_json::from_str(&ran.stderr).unwrap();
    assert_eq!(error["error"]["kind"], "ambiguous");
    assert_eq!(error["error"]["candidates"], serde_json::json!(["a:same", "b:same"]));
    stage.by_config(&["info", "b:same"]).ok();
    let socket = stage.path("run/a.sock");
    stage.by_config(&["info", "same", "--socket", socket.to_str().unwrap()]).ok();
    stage.by_config(&["spawn", "new", "--", "cat"]).failed(2, &["a:new", "b:new"]);
}

#[test]
fn a_command_stands_in_for_a_socket() {
    let mut stage = Stage::empty();
    stage.serve("near", &[]);
    stage.serve("far", &[]);
    let [near, far] = ["near", "far"].map(|name| stage.path(&format!("run/{name}.sock")));
    let command = format!("[\"{VTR}\", \"dial-stdio\", \"--socket\", \"{}\"]", far.display());
    let near = near.display();
    stage.write_config(&format!(
        "[[coordinators]]\npath = \"{near}\"\n[[coordinators]]\nname = \"machine\"\ncommand = {command}\n"
    ));
    stage.by_config(&["spawn", "machine:x", "--wait", "over there", "--cmd", "echo over there; cat"]).ok();
    stage.by_config(&["send", "x", "-e", "hello"]).ok();
    stage.by_config(&["wait", "x", "hello", "--scope", "scrollback"]).ok();
    assert_eq!(stage.by_config(&["ls", "--json"]).json()["sessions"][0]["coordinator"], "machine");
    let direct = stage.by_config(&["info", "x", "--socket", far.to_str().unwrap(), "--json"]).json();
    assert_eq!(direct["name"], "x", "it is the same session");
    stage.by_config(&["rm", "machine:x"]).ok();
}

#[test]
fn a_dead_host_is_named_and_the_others_answer() {
    let stage = two();
    stage.by_config(&["spawn", "a:x", "--", "cat"]).ok();
    let pid_file = stage.path("hanging.pid");
    let run = stage.path("run");
    stage.write_config(&format!(
        "[[coordinators]]\npath = \"{0}/*.sock\"\n\
         [[coordinators]]\npath = \"{0}/gone.sock\"\n\
         [[coordinators]]\nname = \"broken\"\ncommand = [\"sh\", \"-c\", \"echo no route to host >&2; exit 255\"]\n\
         [[coordinators]]\nname = \"missing\"\ncommand = [\"/no/such/ssh\"]\n\
         [[coordinators]]\nname = \"hanging\"\ntimeout = \"2s\"\ncommand = [\"sh\", \"-c\", \"echo $$ > {1}; exec sleep 1000\"]\n",
        run.display(),
        pid_file.display(),
    ));
    let ran = stage.by_config(&["ls"]);
    for part in ["gone", "broken", "no route to host", "missing", "hanging", "2s"] {
        assert!(ran.stderr.contains(part), "{part} is not in {}", ran.stderr);
    }
    assert!(ran.ok().lines().nth(1).is_some_and(|row| row.contains("running")));
    assert_brief(&stage.by_config(&["ls"]).stderr);
    let ran = stage.by_config(&["ls", "--json"]);
    assert_eq!(ran.stderr, "", "all of it is in the object");
    let json = ran.json();
    assert_eq!(json["sessions"][0]["name"], "x");
    let names: Vec<&str> =
        json["unreachable"].as_array().unwrap().iter().map(|one| one["coordinator"].as_str().unwrap()).collect();
    assert_eq!(names, ["gone", "broken", "missing", "hanging"]);
    let reason = json["unreachable"][1]["reason"].as_str().unwrap();
    assert!(reason.contains("sh -c") && reason.contains("by hand"), "{reason}");
    let pid: i32 = std::fs::read_to_string(&pid_file).unwrap().trim().parse().unwrap();
    testkit::wait_until("the hanging command is gone", || is_gone(pid));

    let info = stage.by_config(&["info", "x", "--json"]).json();
    assert_eq!((info["coordinator"].as_str(), info["unreachable"].as_array().unwrap().len()), (Some("a"), 4));
    // With the coordinator's name, no other coordinator is asked.
    let ran = stage.by_config(&["info", "a:x"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    stage.by_config(&["info", "nope"]).failed(1, &["some did not answer", "`vtr ls`"]);
    stage.by_config(&["info", "broken:x"]).failed(4, &["no route to host"]);
}

/// One short line for each that did not answer, without its command and without advice: there may be fifty of them.
fn assert_brief(warnings: &str) {
    let lines: Vec<&str> = warnings.lines().collect();
    assert_eq!(lines.len(), 4, "{warnings}");
    for (line, name) in lines.iter().zip(["gone", "broken", "missing", "hanging"]) {
        assert!(line.starts_with(&format!("vtr: warning: {name} did not answer: ")) && line.len() < 110, "{line}");
        assert!(!line.contains("sh -c") && !line.contains("by hand") && !line.contains("start a"), "{line}");
    }
}

#[test]
fn a_name_that_is_nearly_right_is_guessed_wherever_it_is() {
    let stage = two();
    stage.by_config(&["spawn", "b:deploy", "--", "cat"]).ok();
    stage.by_config(&["screen", "depoly"]).failed(1, &["did you mean b:deploy?", "`vtr ls`"]);
    stage.by_config(&["screen", "b:depoly"]).failed(1, &["did you mean 'deploy'?"]);
}

/// A slow coordinator gets its rows later, below the others' and in their columns.
#[test]
fn a_slow_host_holds_up_nobodys_rows() {
    let mut stage = Stage::empty();
    stage.serve("near", &[]);
    stage.serve("far", &[]);
    let [near, far, gate] = ["run/near.sock", "run/far.sock", "gate"].map(|path| stage.path(path));
    rustix::fs::mkfifoat(rustix::fs::CWD, &gate, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR).unwrap();
    let [near, far, gate] = [near, far, gate].map(|path| path.display().to_string());
    stage.write_config(&format!(
        "[[coordinators]]\nname = \"slow\"\ntimeout = \"60s\"\n\
         command = [\"sh\", \"-c\", \"read go < {gate}; exec {VTR} dial-stdio --socket {far}\"]\n\
         [[coordinators]]\npath = \"{near}\"\n"
    ));
    for (socket, name) in [(&near, "a-rather-long-name"), (&far, "x")] {
        stage.by_config(&["spawn", name, "--socket", socket, "--", "cat"]).ok();
    }
    let mut listing = TestChild::start(stage.bare().arg("ls").stdout(std::process::Stdio::piped()));
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(listing.stdout.take().unwrap()));
    let mut line = || lines.next().unwrap().unwrap();
    let (headings, first) = (line(), line());
    assert!(headings.starts_with("COORDINATOR") && first.starts_with("near"), "{headings}\n{first}");
    std::fs::write(&gate, "go\n").unwrap();
    let second = line();
    assert!(second.starts_with("slow"), "{second}");
    assert_eq!(first.find("running"), second.find("running"), "{first}\n{second}");
    assert!(listing.ended().success());
}

#[test]
fn what_can_be_removed_is() {
    let stage = two();
    for name in ["a:one", "b:two", "b:three"] {
        stage.by_config(&["spawn", name, "--", "cat"]).ok();
    }
    let ran = stage.by_config(&["rm", "one", "nope", "b:three", "--json"]).failed(1, &["nope"]);
    let removed: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(removed["removed"], serde_json::json!(["a:one", "b:three"]));
    let left = stage.by_config(&["ls", "--json"]).json();
    assert_eq!((left["sessions"][0]["name"].as_str(), left["sessions"].as_array().unwrap().len()), (Some("two"), 1));
}

#[test]
fn a_pattern_without_sockets_is_nobody() {
    let stage = Stage::empty();
    stage.write_config(&format!("[[coordinators]]\npath = \"{}/*.sock\"\n", stage.path("run").display()));
    stage.by_config(&["ls"]).failed(4, &["none of the configured coordinators", "vtr serve"]);
    assert!(stage.by_config(&["config", "resolve"]).stderr.contains("at the moment"));
}

#[test]
fn nobody_answering_is_unreachable() {
    let stage = Stage::empty();
    let run = stage.path("run");
    let run = run.display();
    stage.write_config(&format!(
        "[[coordinators]]\npath = \"{run}/c.sock\"\n[[coordinators]]\npath = \"{run}/d.sock\"\n"
    ));
    stage.by_config(&["ls"]).failed(4, &["c did not answer", "d did not answer", "no coordinator answered"]);
    stage.by_config(&["info", "x"]).failed(4, &["no coordinator answered"]);
}

#[test]
fn a_greeting_before_the_protocol_is_shown() {
    let stage = Stage::new();
    let far = stage.socket().display();
    stage.write_config(&format!(
        "[[coordinators]]\nname = \"far\"\n\
         command = [\"sh\", \"-c\", \"echo Welcome to far; exec {VTR} dial-stdio --socket {far}\"]\n"
    ));
    stage.by_config(&["ls"]).failed(4, &["Welcome to far", "start file"]);
}
