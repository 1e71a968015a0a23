//! What can't be started is said, and said why.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use pty::{ExitStatus, SpawnError};
use testkit::Script;

use crate::session::{Session, request, spawn_error};

fn words(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}

/// Written by a process of its own: were it open for writing here, even for a moment, a child that
/// another test starts just then would hold it open too, and nobody could run it ("text file busy").
fn file(folder: &Path, name: &str, content: &str, mode: u32) -> PathBuf {
    let path = folder.join(name);
    let mut shell = std::process::Command::new("sh");
    shell
        .args(["-c", "printf %s \"$1\" >\"$2\" && chmod \"$3\" \"$2\"", "sh", content])
        .arg(&path)
        .arg(format!("{mode:o}"));
    assert!(shell.status().unwrap().success());
    path
}

#[test]
fn no_command_and_an_empty_one() {
    assert!(matches!(spawn_error(request(vec![])), SpawnError::EmptyCommand));
    assert!(matches!(spawn_error(request(words(&[""]))), SpawnError::EmptyCommand));
}

#[test]
fn a_program_that_is_nowhere() {
    for name in ["no-such-program-here", "/no/such/program", "./no-such-program", "/etc/passwd/program"] {
        let error = spawn_error(request(words(&[name])));
        assert!(matches!(&error, SpawnError::NotFound { program } if program == name), "{name}: {error:?}");
        assert!(error.to_string().contains(name), "{error}");
    }
}

#[test]
fn a_program_that_may_not_be_run() {
    let folder = tempfile::tempdir().unwrap();
    let plain = file(folder.path(), "plain", "text", 0o644);
    let error = spawn_error(request(vec![plain.clone().into()]));
    assert!(matches!(&error, SpawnError::PermissionDenied { program } if *program == plain), "{error:?}");

    let error = spawn_error(request(vec![folder.path().into()]));
    assert!(matches!(error, SpawnError::PermissionDenied { .. }), "a folder: {error:?}");
}

#[test]
fn a_refusal_on_the_path_is_remembered_but_a_later_folder_wins() {
    let (refusing, good) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    file(refusing.path(), "tool", "text", 0o644);
    let path = |folders: &[&Path]| std::env::join_paths(folders).unwrap();

    let mut only_refused = request(words(&["tool"]));
    only_refused.env[0].1 = path(&[Path::new("/no/such/folder"), refusing.path(), good.path()]);
    let both = only_refused.clone();
    let error = spawn_error(only_refused);
    assert!(matches!(error, SpawnError::PermissionDenied { .. }), "{error:?}");

    file(good.path(), "tool", "#!/bin/sh\necho found\n", 0o755);
    let mut session = Session::of(pty::spawn(both).unwrap());
    assert_eq!(session.read_to_end(), "found\r\n");
}

#[test]
fn the_path_searched_is_the_childs_not_ours() {
    let mut without = request(words(&["sh", "-c", "true"]));
    without.env[0].1 = "/no/such/folder".into();
    assert!(matches!(spawn_error(without), SpawnError::NotFound { .. }));

    let mut none = request(words(&["sh", "-c", "exit 6"]));
    none.env.clear();
    let (_pty, mut child) = pty::spawn(none).expect("the system's own folders are searched");
    assert_eq!(child.wait().unwrap(), ExitStatus::Code(6));
}

#[test]
fn a_script_without_an_interpreter_line_is_run_by_the_shell() {
    let folder = tempfile::tempdir().unwrap();
    let script = file(folder.path(), "bare", "echo \"$0 $1 $2\"\nexit 4\n", 0o755);
    let mut request = request(vec![script.clone().into(), "a b".into(), "c".into()]);
    request.working_dir = Some("/".into());
    let mut session = Session::of(pty::spawn(request).unwrap());
    assert_eq!(session.read_to_end(), format!("{} a b c\r\n", script.display()));
    assert_eq!(session.child.wait().unwrap(), ExitStatus::Code(4));
}

#[test]
fn a_missing_interpreter_is_not_a_missing_program() {
    let folder = tempfile::tempdir().unwrap();
    let script = file(folder.path(), "lost", "#!/no/such/interpreter\n", 0o755);
    let error = spawn_error(request(vec![script.clone().into()]));
    assert!(matches!(&error, SpawnError::MissingInterpreter { program } if *program == script), "{error:?}");

    let mut relative = request(words(&["./lost"]));
    relative.working_dir = Some(folder.path().into());
    let error = spawn_error(relative);
    assert!(matches!(error, SpawnError::MissingInterpreter { .. }), "{error:?}");
}

#[test]
fn a_working_directory_that_cannot_be_entered() {
    let folder = tempfile::tempdir().unwrap();
    let plain = file(folder.path(), "plain", "text", 0o644);
    for path in [PathBuf::from("/no/such/folder"), plain, PathBuf::new()] {
        let mut request = request(Script::new().argv());
        request.working_dir = Some(path.clone());
        let error = spawn_error(request);
        assert!(matches!(&error, SpawnError::WorkingDirectory { path: told, .. } if *told == path), "{error:?}");
    }
}

#[test]
fn relative_programs_count_from_the_working_directory() {
    let folder = tempfile::tempdir().unwrap();
    file(folder.path(), "tool", "#!/bin/sh\npwd\n", 0o755);
    let mut request = request(words(&["./tool"]));
    request.working_dir = Some(folder.path().into());
    let mut session = Session::of(pty::spawn(request).unwrap());
    let told = session.read_to_end();
    assert_eq!(Path::new(told.trim()), folder.path().canonicalize().unwrap());
}

#[test]
fn a_nul_byte_anywhere() {
    let nul = || OsString::from_vec(b"a\0b".to_vec());
    let mut bad = Vec::new();
    bad.push(request(vec![nul()]));
    bad.push(request(vec!["sh".into(), nul()]));
    for variable in [("NAME".into(), nul()), (nul(), "value".into()), ("PATH".into(), nul())] {
        let mut request = request(words(&["sh"]));
        request.env = vec![variable];
        bad.push(request);
    }
    let mut request = request(words(&["sh"]));
    request.working_dir = Some(nul().into());
    bad.push(request);
    for request in bad {
        let error = spawn_error(request.clone());
        assert!(matches!(error, SpawnError::BadArgument { .. }), "{request:?}: {error:?}");
    }
}

#[test]
fn names_that_no_variable_can_have() {
    for name in ["", "A=B", "=A"] {
        let mut request = request(words(&["sh"]));
        request.env.push((name.into(), "value".into()));
        let error = spawn_error(request);
        assert!(matches!(&error, SpawnError::BadVariable { name: told } if told == name), "{error:?}");
    }
}

#[test]
fn more_arguments_than_the_system_takes() {
    let large = "x".repeat(100_000);
    let error = spawn_error(request((0..100).map(|_| OsString::from(&large)).collect()));
    assert!(matches!(error, SpawnError::NotFound { .. }), "a name of that length is nowhere: {error:?}");

    let argv = std::iter::once("sh".into()).chain((0..100).map(|_| OsString::from(&large)));
    let error = spawn_error(request(argv.collect()));
    assert!(matches!(error, SpawnError::TooLong), "{error:?}");
}

#[test]
fn environment_values_stay_out_of_debug_output() {
    let mut request = request(words(&["sh"]));
    request.env.push(("TOKEN".into(), "s3cret".into()));
    assert!(!format!("{request:?}").contains("s3cret"));
}

#[test]
fn running_out_of_descriptors_is_said_and_passes() {
    testkit::in_own_process("start::running_out_of_descriptors_is_said_and_passes", || {
        let before = testkit::open_fds();
        let mut hoard: Vec<fs::File> = Vec::new();
        let limit = rustix::process::Rlimit { current: Some(64), maximum: Some(64) };
        rustix::process::setrlimit(rustix::process::Resource::Nofile, limit).unwrap();
        while let Ok(file) = fs::File::open("/dev/null") {
            hoard.push(file);
        }
        // A start needs three at a time: the master, the slave, its copy or later the pidfd.
        for free in 0..3 {
            let error = pty::spawn(request(Script::new().argv())).expect_err("too few are free");
            assert!(matches!(error, SpawnError::TooManyFiles { .. }), "{free} free: {error:?}");
            hoard.pop();
        }
        hoard.clear();
        assert_eq!(testkit::open_fds(), before, "failed starts leave nothing open");
        let (_pty, mut child) = pty::spawn(request(Script::new().exit(5).argv())).unwrap();
        assert_eq!(child.wait().unwrap(), ExitStatus::Code(5));
    });
}
