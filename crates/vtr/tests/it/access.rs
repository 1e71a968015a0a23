//! Who may connect. These tests need root, in order to act as other users: `.ci/run` runs them.

use std::{
    os::unix::{fs::PermissionsExt, process::CommandExt},
    path::PathBuf,
};

use crate::stage::{FinishedCommand, Stage, TestChild, VTR, run};

const SOMEBODY: u32 = 65_534;
const THEIR_GROUP: u32 = 65_534;
const OTHER_GROUP: u32 = 64_321;

struct Open {
    stage: Stage,
    program: PathBuf,
}

/// A stage that other users can enter, with a program that they can run.
fn open(flags: &[&str]) -> Open {
    let mut stage = Stage::empty();
    for folder in [stage.path(""), stage.path("run")] {
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let program = stage.path("vtr");
    std::fs::copy(VTR, &program).unwrap();
    stage.serve("a", flags);
    Open { stage, program }
}

impl Open {
    fn as_somebody(&self, groups: &[u32]) -> FinishedCommand {
        // Only a shell can be given supplementary groups without code of our own between fork and exec.
        let list: Vec<String> = groups.iter().map(ToString::to_string).collect();
        let mut command = std::process::Command::new("setpriv");
        command.arg(format!("--reuid={SOMEBODY}")).arg(format!("--regid={THEIR_GROUP}"));
        match list.as_slice() {
            [] => command.arg("--clear-groups"),
            list => command.arg(format!("--groups={}", list.join(","))),
        };
        command.arg(&self.program).args(["ls", "--socket"]).arg(self.stage.socket());
        run(command.env_clear().env("HOME", "/nonexistent").env("PATH", "/usr/bin:/bin").current_dir("/"))
    }
}

#[test]
#[ignore = "needs root: run by .ci/run"]
fn strangers_are_refused_by_the_mode() {
    let open = open(&[]);
    open.as_somebody(&[]).failed(4, &["may not use"]);
}

#[test]
#[ignore = "needs root: run by .ci/run"]
fn strangers_are_refused_even_when_the_mode_lets_them_in() {
    let open = open(&["--socket-mode", "0666"]);
    open.as_somebody(&[]).failed(4, &["--allow-uid"]);
    open.stage.vtr(&["ls"]).ok();
}

#[test]
#[ignore = "needs root: run by .ci/run"]
fn a_user_on_the_list_passes() {
    let open = open(&["--allow-uid", "65534"]);
    open.as_somebody(&[]).ok();
}

#[test]
#[ignore = "needs root: run by .ci/run"]
fn members_of_the_group_pass() {
    let group = OTHER_GROUP.to_string();
    let open = open(&["--socket-group", &group]);
    open.as_somebody(&[]).failed(4, &["may not use"]);
    open.as_somebody(&[OTHER_GROUP]).ok();
}

#[test]
#[ignore = "needs root: run by .ci/run"]
fn membership_is_checked_where_the_mode_is_open() {
    let group = OTHER_GROUP.to_string();
    let open = open(&["--socket-group", &group, "--socket-mode", "0666"]);
    open.as_somebody(&[]).failed(4, &["--allow-uid"]);
    open.as_somebody(&[OTHER_GROUP]).ok();
}

#[test]
#[ignore = "needs root: run by .ci/run"]
fn a_user_without_the_systems_folder_gets_the_runtime_folder() {
    let root = tempfile::tempdir().unwrap();
    std::fs::set_permissions(root.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let program = root.path().join("vtr");
    std::fs::copy(VTR, &program).unwrap();
    let runtime = root.path().join("runtime");
    std::fs::create_dir(&runtime).unwrap();
    std::os::unix::fs::chown(&runtime, Some(SOMEBODY), Some(THEIR_GROUP)).unwrap();
    let vtr = |words: &[&str]| {
        let mut command = std::process::Command::new(&program);
        command.uid(SOMEBODY).gid(THEIR_GROUP).env_clear().env("PATH", "/usr/bin:/bin").env("HOME", &runtime);
        run(command.env("XDG_RUNTIME_DIR", &runtime).current_dir("/").args(words))
    };
    let started = vtr(&["serve", "--daemon", "--json"]).json();
    let socket = runtime.join("vtr/vtr.sock");
    assert_eq!(started["socket"], socket.to_str().unwrap());
    assert_eq!(vtr(&["config", "resolve", "--json"]).json()["coordinators"][0]["socket"], socket.to_str().unwrap());
    vtr(&["spawn", "x", "--", "cat"]).ok();
    vtr(&["serve", "--stop"]).ok();
}

/// Each refused user causes a log line: on a full disk the line is dropped, and nothing else happens.
#[test]
#[ignore = "needs root and unshare: run by .ci/run"]
fn a_refused_user_harms_nobody_while_the_log_is_on_a_full_disk() {
    let Open { mut stage, program } = open(&["--allow-uid", "12345"]);
    let small = stage.path("small");
    std::fs::create_dir(&small).unwrap();
    let socket = stage.path("run/small.sock");
    let log = small.join("vtr.log");
    // The file system is in the namespace of the coordinator and its sessions, and ends with them.
    let mut command = std::process::Command::new("unshare");
    let script = "mount -t tmpfs -o size=256k tmpfs \"$1\" && exec \"$2\" serve --socket-mode 0666 --allow-uid 12345 \
        --socket \"$3\" 2>\"$4\"";
    command.args(["--mount", "sh", "-c", script, "sh"]).args([&small, &program, &socket, &log]);
    command.env_clear().envs(stage.bare().get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut coordinator = TestChild::start(command.stdout(std::process::Stdio::null()));
    let vtr = |words: &[&str]| stage.vtr(&[&["--socket", socket.to_str().unwrap()], words].concat());
    testkit::wait_until("it serves", || vtr(&["ls"]).code == Some(0));
    let folder = stage.path("");
    let trap = "trap 'echo got > got; exit 0' TERM; echo ready; while :; do sleep 0.1; done";
    vtr(&["spawn", "x", "--wait", "ready", "--cwd", folder.to_str().unwrap(), "--cmd", trap]).ok();
    let fill =
        format!("dd if=/dev/zero of={}/fill bs=1k; dd if=/dev/zero of={0}/rest bs=1; echo full", small.display());
    vtr(&["spawn", "fill", "--wait", "(?m)^full", "--cmd", &fill]).ok();
    stage.server().socket.clone_from(&socket);
    let open = Open { stage, program };
    for _ in 0..20 {
        open.as_somebody(&[]).failed(4, &["--allow-uid"]);
    }
    let vtr = |words: &[&str]| open.stage.vtr(&[&["--socket", socket.to_str().unwrap()], words].concat());
    assert_eq!(vtr(&["info", "x", "--json"]).json()["status"], "running");
    vtr(&["serve", "--stop"]).ok();
    assert_eq!(coordinator.ended().code(), Some(0));
    assert!(open.stage.path("got").exists(), "its session was told to end, and had its grace");
}

#[test]
#[ignore = "needs root and unshare: run by .ci/run"]
fn coordinators_in_namespaces_of_their_own_are_one_list() {
    let stage = Stage::empty();
    let sockets = ["one", "two"].map(|name| stage.path(&format!("run/{name}.sock")));
    let mut coordinators = sockets.clone().map(|socket| {
        let mut command = std::process::Command::new("unshare");
        let environment: Vec<_> = stage.bare().get_envs().map(|(k, v)| (k.to_owned(), v.unwrap().to_owned())).collect();
        command.args(["--net", "--pid", "--fork", "--mount-proc", VTR, "serve", "--socket"]).arg(socket);
        command.env_clear().envs(environment).stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        TestChild::start(&mut command)
    });
    stage.write_config(&format!("[[coordinators]]\npath = \"{}/*.sock\"\n", stage.path("run").display()));
    for name in ["one", "two"] {
        let words = ["spawn", &format!("{name}:x"), "--wait", "lo:", "--", "cat", "/proc/net/dev"];
        testkit::wait_until("the coordinator answers", || stage.by_config(&words).code == Some(0));
    }
    let sessions = stage.by_config(&["ls", "--json"]).json()["sessions"].clone();
    let listed: Vec<_> = sessions.as_array().unwrap().iter().map(|session| session["coordinator"].clone()).collect();
    assert_eq!(listed, ["one", "two"]);
    for socket in &sockets {
        // In the namespace it is process 1; the kernel tells us its id out here.
        stage.vtr(&["serve", "--stop", "--socket", socket.to_str().unwrap()]).ok();
    }
    for coordinator in &mut coordinators {
        coordinator.ended();
    }
}
