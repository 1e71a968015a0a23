//! After a coordinator was killed, its successor and every command that notices the loss report it.

use std::path::PathBuf;

use testkit::{wait_until, wait_until_some};

use crate::stage::{Stage, is_gone};

/// The list of sessions that a coordinator keeps for its successor.
fn roll(stage: &Stage) -> Option<PathBuf> {
    let files = std::fs::read_dir(stage.path("state/vtr")).ok()?.flatten().map(|entry| entry.path());
    files.filter(|file| file.extension().is_some_and(|end| end == "sessions")).min()
}

/// Waits until the list contains all of this.
fn see_in_roll(stage: &Stage, words: &[&str]) {
    wait_until_some("the list of sessions is written", || {
        let text = std::fs::read_to_string(roll(stage)?).ok()?;
        words.iter().all(|word| text.contains(word)).then_some(())
    });
}

fn kill(stage: &mut Stage) {
    stage.server().process.kill().unwrap();
    stage.server().wait();
}

#[test]
fn what_a_killed_coordinator_took_is_told_by_the_next() {
    let mut stage = Stage::new();
    // It has a job that ignores the end of its terminal and outlives everything.
    let job = "(trap '' HUP TERM; exec sleep 1000) & echo job $!; exec cat";
    stage.vtr(&["spawn", "work", "--record", "--wait", "job [0-9]+", "--cmd", job]).ok();
    stage.spawn_cat("other");
    let id = stage.vtr(&["info", "work", "--json"]).json()["id"].as_str().unwrap().to_owned();
    let job = stage.vtr(&["screen", "work"]).ok();
    let job = job.lines().find_map(|line| line.split("job ").nth(1)).unwrap().trim().to_owned();
    see_in_roll(&stage, &["\"work\"", "\"other\"", ".cast"]);
    let pid = stage.server().pid().to_string();
    kill(&mut stage);
    stage.restart();

    let listed = stage.vtr(&["ls"]);
    assert!(!listed.stdout.contains("work"), "{listed:?}");
    let still = format!("pid {job} (sleep)");
    for said in ["ended unexpectedly after 20", &pid, "took 2 sessions: work, other", ".cast", &still] {
        assert!(listed.stderr.contains(said), "{said} is not in {}", listed.stderr);
    }
    stage.vtr(&["ls", "--json"]).json();
    for name in ["work", &id] {
        let failed =
            stage.vtr(&["screen", name]).failed(1, &["session 'work' was lost", "ended unexpectedly", ".cast"]);
        assert!(failed.stderr.contains(&still), "{failed:?}");
    }
    stage.vtr(&["screen", "never"]).failed(1, &["no session 'never'"]);
    stage.spawn_cat("work");
    stage.vtr(&["info", "work"]).ok();

    let log = std::fs::read_to_string(stage.path("a.log")).unwrap();
    assert!(log.contains("took 2 sessions: work, other"), "{log}");
    let job: i32 = job.parse().unwrap();
    rustix::process::kill_process(rustix::process::Pid::from_raw(job).unwrap(), rustix::process::Signal::KILL).unwrap();
    wait_until("the job is gone", || is_gone(job));
}

#[test]
fn a_daemon_tells_whoever_starts_it() {
    let mut stage = Stage::new();
    stage.spawn_cat("work");
    see_in_roll(&stage, &["\"work\""]);
    kill(&mut stage);
    let said = stage.vtr(&["serve", "--daemon"]).ok();
    assert!(said.contains("ended unexpectedly") && said.contains("took 1 session: work"), "{said}");
    stage.vtr(&["serve", "--stop"]).ok();
    assert_eq!(roll(&stage), None, "an end in order leaves no list");
    let said = stage.vtr(&["serve", "--daemon"]).ok();
    assert!(!said.contains("unexpectedly"), "{said}");
    stage.vtr(&["serve", "--stop"]).ok();
}

#[test]
fn the_list_follows_the_sessions_and_is_private() {
    use std::os::unix::fs::MetadataExt;
    let stage = Stage::new();
    stage.spawn_cat("x");
    see_in_roll(&stage, &["\"x\""]);
    assert_eq!(roll(&stage).unwrap().metadata().unwrap().mode() & 0o777, 0o600);
    stage.vtr(&["rename", "x", "y"]).ok();
    see_in_roll(&stage, &["\"y\""]);
    stage.vtr(&["record", "y", "start"]).ok();
    see_in_roll(&stage, &[".cast"]);
    stage.vtr(&["rm", "y"]).ok();
    wait_until("a coordinator without sessions has no list", || roll(&stage).is_none());
}

#[test]
fn a_list_that_can_not_be_read_is_left_aside() {
    let mut stage = Stage::new();
    stage.spawn_cat("x");
    see_in_roll(&stage, &["\"x\""]);
    let file = roll(&stage).unwrap();
    kill(&mut stage);
    std::fs::write(&file, "{ nonsense").unwrap();
    stage.restart();
    assert_eq!(stage.vtr(&["ls"]).stderr, "");
    let log = std::fs::read_to_string(stage.path("a.log")).unwrap();
    assert!(log.contains("can't be read"), "{log}");
}
