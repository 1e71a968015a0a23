//! Scratchpads as agents use them, and what else may happen to their files.

use std::path::Path;

use ops::{Caller, ErrorKind};
use project::{FileLockTurn, PadName, ProjectEvent, Scratchpads};
use serde_json::json;
use testkit::{SecondRole, play_second_role};

use crate::stage::{Stage, soon};

#[tokio::test]
async fn write_read_conflict_merge_append_delete() {
    let stage = Stage::new();
    let write = |content: &str, expected: Option<&serde_json::Value>| json!({"name": "plan.md", "content": content, "expected_revision": expected});
    let first = stage.json("scratchpad_write", write("one\n", None)).await.unwrap();
    assert_eq!(first["ok"], true);
    let read = stage.json("scratchpad_read", json!({"name": "plan.md"})).await.unwrap();
    assert_eq!(read, json!({"content": "one\n", "revision": first["revision"]}));
    // Somebody else appends in between.
    let appended = stage.json("scratchpad_append", json!({"name": "plan.md", "content": "two\n"})).await.unwrap();
    let conflict = stage.json("scratchpad_write", write("three\n", Some(&first["revision"]))).await.unwrap();
    assert_eq!(conflict, json!({"ok": false, "current_revision": appended["revision"]}));
    let merged = stage.json("scratchpad_write", write("one\ntwo\nthree\n", Some(&appended["revision"]))).await.unwrap();
    assert_eq!(merged["ok"], true);
    let list = stage.json("scratchpad_list", json!({})).await.unwrap();
    let [pad] = &list["scratchpads"].as_array().unwrap()[..] else { panic!("{list}") };
    assert_eq!((&pad["name"], &pad["size"], &pad["revision"]), (&json!("plan.md"), &json!(14), &merged["revision"]));
    let new = json!({"name": "new", "content": "x", "expected_revision": "0123"});
    assert_eq!(stage.json("scratchpad_write", new).await.unwrap(), json!({"ok": false, "current_revision": ""}));
    assert_eq!(stage.json("scratchpad_delete", json!({"name": "plan.md"})).await.unwrap(), json!({"ok": true}));
    let operator = Caller::operator();
    assert_eq!(stage.refusal(&operator, "scratchpad_read", json!({"name": "plan.md"})).await, ErrorKind::NotFound);
    assert_eq!(stage.refusal(&operator, "scratchpad_delete", json!({"name": "plan.md"})).await, ErrorKind::NotFound);
    stage.close().await;
}

#[tokio::test]
async fn names_and_links_lead_nowhere_else() {
    let stage = Stage::new();
    let outside = stage.root().join("outside");
    std::fs::write(&outside, "secret").unwrap();
    std::os::unix::fs::symlink(&outside, stage.pads().join("link")).unwrap();
    let operator = Caller::operator();
    for name in ["../trust.json", "/etc/passwd", "..", ".hidden", "a/b", "a\0", "", &"x".repeat(129)] {
        for operation in ["scratchpad_read", "scratchpad_write", "scratchpad_append", "scratchpad_delete"] {
            let mut args = json!({"name": name});
            if matches!(operation, "scratchpad_write" | "scratchpad_append") {
                args["content"] = json!("x");
            }
            assert_eq!(stage.refusal(&operator, operation, args).await, ErrorKind::InvalidArgs, "{operation} {name:?}");
        }
    }
    for (operation, args) in [
        ("scratchpad_read", json!({"name": "link"})),
        ("scratchpad_write", json!({"name": "link", "content": "x"})),
        ("scratchpad_append", json!({"name": "link", "content": "x"})),
        ("scratchpad_delete", json!({"name": "link"})),
    ] {
        assert_eq!(stage.refusal(&operator, operation, args).await, ErrorKind::WrongKind, "{operation}");
    }
    let list = stage.json("scratchpad_list", json!({})).await.unwrap();
    assert_eq!(list, json!({"scratchpads": []}));
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), "secret");
    // The folder itself exchanged for a link.
    std::fs::remove_file(stage.pads().join("link")).unwrap();
    std::fs::remove_dir_all(stage.pads()).unwrap();
    std::os::unix::fs::symlink(stage.root(), stage.pads()).unwrap();
    let args = json!({"name": "x", "content": "x"});
    assert_eq!(stage.refusal(&operator, "scratchpad_write", args).await, ErrorKind::Internal);
    assert!(!stage.root().join("x").exists());
    stage.close().await;
}

#[tokio::test]
async fn edits_by_other_programs_are_told() {
    let mut stage = Stage::new();
    std::fs::write(stage.pads().join("notes.md"), "by an editor").unwrap();
    let event = soon("the edit is told", stage.events.recv()).await.unwrap();
    assert_eq!(event, ProjectEvent::ScratchpadsChanged);
    let read = stage.json("scratchpad_read", json!({"name": "notes.md"})).await.unwrap();
    assert_eq!(read["content"], "by an editor");
    stage.close().await;
}

const APPENDS: usize = 100;
const FOLDER: &str = "SCRATCHPADS_OF_TEST";

/// Where a second process finds the folder: by a file beside the test binary's own temporary folder would be a race, so
/// it prints its own and waits there.
fn appender(name: &str) -> (SecondRole, std::path::PathBuf) {
    let mut second = play_second_role(name, || {
        let folder = tempfile::tempdir().unwrap();
        println!("{FOLDER} {}", folder.path().display());
        let pads = Scratchpads::new(folder.path().join("pads"));
        let go = folder.path().join("go");
        testkit::wait_until("the first process is ready", || go.exists());
        append_all(&pads, "second");
        println!("appended");
        // The first one reads before the folder goes.
        testkit::wait_until("the first process has read", || !go.exists());
        folder.close().unwrap();
        println!("cleared");
    });
    let folder = second.line_after(FOLDER).into();
    (second, folder)
}

fn append_all(pads: &Scratchpads, who: &str) {
    let log = PadName::new("log").unwrap();
    for number in 0..APPENDS {
        pads.append(&FileLockTurn::default(), &log, &format!("{who} {number}\n")).unwrap();
    }
}

#[test]
fn two_processes_lose_no_append() {
    let (mut second, folder) = appender("scratchpads::two_processes_lose_no_append");
    let pads = Scratchpads::new(folder.join("pads"));
    let go = folder.join("go");
    std::fs::write(&go, "").unwrap();
    append_all(&pads, "first");
    second.line_after("appended");
    let text = pads.read(&PadName::new("log").unwrap()).unwrap().content;
    for who in ["first", "second"] {
        let own: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix(who)?.strip_prefix(' ')).collect();
        assert_eq!(own, (0..APPENDS).map(|number| number.to_string()).collect::<Vec<_>>(), "{who}");
    }
    std::fs::remove_file(&go).unwrap();
    // Ended sooner, it would leave its folder behind.
    second.line_after("cleared");
}

#[test]
fn a_writer_that_is_killed_leaves_a_whole_text() {
    const SIZE: usize = 300_000;
    let name = "scratchpads::a_writer_that_is_killed_leaves_a_whole_text";
    let mut second = play_second_role(name, || {
        let folder = tempfile::tempdir().unwrap().keep();
        println!("{FOLDER} {}", folder.display());
        let pads = Scratchpads::new(folder.join("pads"));
        let pad = PadName::new("big").unwrap();
        for letter in (b'a'..=b'z').cycle() {
            let text = String::from(char::from(letter)).repeat(SIZE);
            pads.write(&FileLockTurn::default(), &pad, &text, None).unwrap();
            println!("wrote {}", char::from(letter));
        }
    });
    let folder = std::path::PathBuf::from(second.line_after(FOLDER));
    for _ in 0..20 {
        second.line_after("wrote");
    }
    second.kill();
    let pads = Scratchpads::new(folder.join("pads"));
    let pad = PadName::new("big").unwrap();
    let text = pads.read(&pad).unwrap().content;
    let first = text.as_bytes()[0];
    assert!(text.len() == SIZE && text.bytes().all(|byte| byte == first), "the text is torn");
    // The lock went with the killed process.
    pads.append(&FileLockTurn::default(), &pad, "more").unwrap();
    assert!(pads.read(&pad).unwrap().content.ends_with("more"));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
#[ignore = "needs root: mounts a tmpfs of 1 MB"]
fn a_full_disk_leaves_the_old_text() {
    let folder = tempfile::tempdir().unwrap();
    let mount = Mount::new(folder.path());
    let pads = Scratchpads::new(mount.path.join("pads"));
    let pad = PadName::new("x").unwrap();
    pads.write(&FileLockTurn::default(), &pad, "old", None).unwrap();
    let much = "y".repeat(2 << 20);
    for _ in 0..3 {
        let error = pads.write(&FileLockTurn::default(), &pad, &much, None).unwrap_err();
        assert!(matches!(error, project::PadError::NoSpace { .. }), "{error}");
        let error = pads.append(&FileLockTurn::default(), &pad, &much).unwrap_err();
        assert!(matches!(error, project::PadError::NoSpace { .. }), "{error}");
    }
    assert_eq!(pads.read(&pad).unwrap().content, "old");
    // Nothing half-written takes the room.
    pads.append(&FileLockTurn::default(), &pad, &"z".repeat(300_000)).unwrap();
}

struct Mount<'a> {
    path: &'a Path,
}

impl<'a> Mount<'a> {
    fn new(path: &'a Path) -> Self {
        let done =
            std::process::Command::new("mount").args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"]).arg(path).status();
        assert!(done.unwrap().success(), "mount failed");
        Mount { path }
    }
}

impl Drop for Mount<'_> {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg(self.path).status();
    }
}
