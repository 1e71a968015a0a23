//! Connections of another user. These tests need root, in order to act as one: `.ci/run` runs them.

use std::{fs, os::unix::fs::PermissionsExt, os::unix::process::CommandExt, process::Command};

use serde_json::json;

use crate::stage::{PATTERM, Stage, run};

const SOMEBODY: u32 = 65_534;

#[test]
#[ignore = "needs root: run by .ci/run"]
fn another_user_is_refused_by_the_mode_and_by_the_door() {
    let stage = Stage::new();
    stage.open_to_others();
    let patterm = stage.headless(&[]);
    let program = stage.path("patterm-for-all");
    fs::copy(PATTERM, &program).unwrap();
    let (socket, token) = (patterm.socket(), patterm.token());
    let knock = || {
        let mut command = Command::new(&program);
        command.args(["mcp-stdio", "--socket", socket.to_str().unwrap(), "--identity", &token]);
        run(command.uid(SOMEBODY).gid(SOMEBODY).current_dir("/"))
    };
    knock().failed(4, &["Permission denied"]);
    // The file system lets everyone in, and the token is valid, but it belongs to somebody else.
    fs::set_permissions(socket.parent().unwrap(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(&socket, fs::Permissions::from_mode(0o666)).unwrap();
    let ran = knock();
    assert_eq!(ran.stdout, "", "nothing is said to strangers");
    patterm.operator().call("whoami", json!({}));
}
