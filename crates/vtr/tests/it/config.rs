//! `vtr config`, and the default socket.

use crate::stage::Stage;

#[test]
fn coordinators_are_added_listed_resolved_and_removed() {
    let mut stage = Stage::empty();
    let file = stage.path("config/vtr/config.toml");
    stage.write_config("# my coordinators\n");
    stage.serve("a", &[]);
    let pattern = format!("{}/*.sock", stage.path("run").display());
    let vtr = |words: &[&str]| stage.by_config(words);
    vtr(&["config", "add", &pattern]).ok();
    vtr(&["config", "add", "--name", "far", "--", "ssh", "far", "vtr", "dial-stdio"]).ok();
    vtr(&["config", "add", "relative.sock", "--name", "rel"]).ok();
    let again = vtr(&["config", "add", &pattern]);
    assert!(again.stderr.contains("already"), "{again:?}");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("# my coordinators\n"), "{text}");
    let table = vtr(&["config", "ls"]).ok();
    assert!(
        table.starts_with("NAME") && table.contains("ssh far vtr dial-stdio") && table.contains(&pattern),
        "{table}"
    );
    let json = vtr(&["config", "ls", "--json"]).json();
    assert_eq!(
        json["coordinators"][1],
        serde_json::json!({ "name": "far", "command": ["ssh", "far", "vtr", "dial-stdio"] })
    );
    let resolved = vtr(&["config", "resolve", "--json"]).json();
    let socket = stage.path("run/a.sock");
    assert_eq!(resolved["coordinators"][0], serde_json::json!({ "name": "a", "socket": socket }));
    assert_eq!(resolved["coordinators"][2]["socket"], stage.path("relative.sock").to_str().unwrap());
    vtr(&["config", "add", "/y.sock", "--name", "far"]).failed(2, &["\"far\" exists already", "--name"]);
    vtr(&["config", "add", "/y.sock", "--name", "a b"]).failed(2, &["\"a b\"", "letters"]);
    vtr(&["config", "add", ""]).failed(2, &["empty"]);
    for which in [pattern.as_str(), "far", "relative.sock"] {
        vtr(&["config", "rm", which]).ok();
    }
    vtr(&["config", "rm", "far"]).failed(1, &["far", "config ls"]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "# my coordinators\n");
}

#[test]
fn mistakes_in_the_file_are_named_and_left_alone() {
    let stage = Stage::empty();
    let text = "[defaults]\noutput_fromat = \"json\"\n";
    stage.write_config(text);
    stage.by_config(&["ls"]).failed(2, &["config.toml", "output_fromat"]);
    stage.by_config(&["config", "add", "/x.sock"]).failed(2, &["output_fromat"]);
    assert_eq!(std::fs::read_to_string(stage.path("config/vtr/config.toml")).unwrap(), text);
    stage.by_config(&["config", "add", "*.sock", "--name", "x"]).failed(2, &[]);
    stage.by_config(&["config", "add"]).failed(2, &["PATH"]);
}

#[test]
fn a_named_socket_needs_no_config() {
    let stage = Stage::new();
    stage.write_config("[defaults]\noutput_fromat = \"json\"\n");
    let ran = stage.by_config(&["ls", "--socket", stage.socket().to_str().unwrap()]);
    assert!(ran.stderr.contains("output_fromat"), "{ran:?}");
    ran.ok();
}

#[test]
fn a_script_for_a_shell_is_no_json_by_default() {
    let stage = Stage::empty();
    stage.write_config("[defaults]\noutput_format = \"json\"\n");
    assert!(!stage.by_config(&["completions", "bash"]).ok().starts_with('{'));
    assert_eq!(stage.by_config(&["completions", "bash", "--json"]).json()["shell"], "bash");
}

#[test]
fn another_file_can_be_named() {
    let stage = Stage::empty();
    let file = stage.path("other.toml");
    let vtr = |words: &[&str]| crate::stage::run(stage.bare().env("VTR_CONFIG", &file).args(words));
    vtr(&["config", "add", "/x.sock"]).ok();
    assert!(std::fs::read_to_string(&file).unwrap().contains("/x.sock"));
    assert_eq!(vtr(&["config", "resolve", "--json"]).json()["coordinators"][0]["name"], "x");
}
