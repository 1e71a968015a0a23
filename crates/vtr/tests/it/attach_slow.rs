//! `vtr attach` on a slow connection, beside a flood, and inside tmux.

use std::{
    io::{Read, Write},
    os::unix::net::{UnixListener, UnixStream},
    process::Command,
    time::{Duration, Instant},
};

use testkit::{DEADLINE, wait_until_with};

use crate::{
    attach::Attached,
    stage::{Stage, VTR},
};

/// 1 Mbit per second in each direction.
const BYTES_PER_SECOND: f64 = 125_000.0;

/// A socket that leads to another one, slowly.
fn slow_line(stage: &Stage) -> std::path::PathBuf {
    let socket = stage.path("run/slow.sock");
    let listener = UnixListener::bind(&socket).unwrap();
    let target = stage.socket().to_owned();
    // Ends with the test's process; closing a connection ends its own threads.
    std::thread::spawn(move || {
        for near in listener.incoming() {
            let (near, far) = (near.unwrap(), UnixStream::connect(&target).unwrap());
            let pairs = [(near.try_clone().unwrap(), far.try_clone().unwrap()), (far, near)];
            for (from, to) in pairs {
                std::thread::spawn(move || pump(from, to));
            }
        }
    });
    socket
}

/// Small pieces and a short queue, so that little is buffered ahead of a byte.
fn pump(mut from: UnixStream, mut to: UnixStream) {
    let mut buffer = [0; 1024];
    let mut free = Instant::now();
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        free = free.max(Instant::now()) + Duration::from_secs_f64(count as f64 / BYTES_PER_SECOND);
        std::thread::sleep(free.saturating_duration_since(Instant::now()));
        if to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(std::net::Shutdown::Write);
}

fn last_number(text: &str) -> u64 {
    text.split(|c: char| !c.is_ascii_digit())
        .filter(|digits| digits.len() == 9)
        .filter_map(|digits| digits.parse().ok())
        .max()
        .unwrap_or(0)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_newest_picture_wins_on_a_slow_line() {
    let stage = Stage::new();
    let slow = slow_line(&stage);
    stage.write_config(&format!(
        "[[coordinators]]\nname = \"far\"\ncommand = [\"{VTR}\", \"--socket\", \"{}\", \"dial-stdio\"]\n",
        slow.display()
    ));
    // A screen full of different numbers, a hundred times a second: about 2 Mbit if all rows are sent.
    let flood = "i=100000000; while :; do i=$((i+1)); for r in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do \
        echo $i $i $i $i $i $i $i; done; sleep 0.005; done";
    stage.vtr(&["spawn", "flood", "--cmd", flood]).ok();
    let attached = Attached::by_config(&stage, &["flood"]).await;
    attached.shows("far:flood").await;
    attached.until("numbers are drawn", |text| last_number(text) > 0);
    let began = Instant::now();
    let frames = |attached: &Attached| {
        let raw = attached.terminal.raw(0, usize::MAX);
        assert_eq!(raw.offset, 0, "the ring holds it all");
        raw.bytes.windows(8).filter(|window| *window == b"\x1b[?2026h").count()
    };
    let before = frames(&attached);
    // However long the flood has gone on, a screen from one second ago has been drawn: queued frames would fall further
    // behind with each check. The best of several counts, because the machine may be busy.
    let mut behind = u64::MAX;
    for look in 0..5 {
        let live = last_number(&stage.vtr(&["screen", "flood"]).ok());
        std::thread::sleep(Duration::from_secs(1));
        if look >= 2 {
            behind = behind.min(live.saturating_sub(last_number(&attached.text())));
        }
    }
    assert_eq!(behind, 0, "what was on the screen a second ago is not drawn yet");
    let seconds = began.elapsed().as_secs_f64();
    let drawn = frames(&attached) - before;
    assert!(drawn as f64 <= 30.0 * seconds + 2.0, "{drawn} pictures in {seconds} s");
    assert!(drawn > 2, "{drawn} pictures");
    // It can still be left at once.
    attached.detach().await;
    stage.vtr(&["rm", "flood"]).ok();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_is_drawn_thirty_times_a_second_at_most() {
    let stage = Stage::new();
    stage.vtr(&["spawn", "flood", "--cmd", "exec yes flooding"]).ok();
    let attached = Attached::start(&stage, &["flood"]).await;
    attached.shows("flooding").await;
    let count = || attached.terminal.raw(0, usize::MAX).bytes.windows(8).filter(|w| *w == b"\x1b[?2026h").count();
    let (before, began) = (count(), Instant::now());
    while began.elapsed() < Duration::from_secs(2) {
        std::thread::sleep(Duration::from_millis(50));
    }
    let drawn = count() - before;
    assert!(drawn as f64 <= 30.0 * began.elapsed().as_secs_f64() + 2.0, "{drawn} pictures");
    attached.detach().await;
    stage.vtr(&["rm", "flood"]).ok();
}

#[test]
#[ignore = "needs tmux: run by .ci/run"]
fn it_works_inside_tmux() {
    let stage = Stage::new();
    stage.spawn_cat("one");
    let socket = stage.path("tmux.sock");
    let tmux = |words: &[&str]| {
        let mut command = Command::new("tmux");
        let like = stage.command(&[]);
        command.env_clear().envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.env("TERM", "xterm-256color").arg("-f").arg("/dev/null").arg("-S").arg(&socket).args(words);
        crate::stage::run(&mut command)
    };
    tmux(&["new-session", "-d", "-x", "80", "-y", "24", "-s", "t", VTR, "attach", "one"]).ok();
    let shows = |text: &str| {
        let look = || tmux(&["capture-pane", "-p", "-t", "t"]).stdout;
        wait_until_with(text, || look().contains(text), || format!("\n{}", look()));
    };
    shows("a:one");
    tmux(&["send-keys", "-t", "t", "typed in tmux", "Enter"]).ok();
    shows("\ntyped in tmux");
    tmux(&["send-keys", "-t", "t", "C-b", "?"]).ok();
    shows("Open remote session");
    tmux(&["send-keys", "-t", "t", "Enter"]).ok();
    tmux(&["resize-window", "-t", "t", "-x", "100", "-y", "30"]).ok();
    tmux(&["send-keys", "-t", "t", "x"]).ok();
    shows("100x28");
    tmux(&["send-keys", "-t", "t", "C-b", "d"]).ok();
    let end = Instant::now() + DEADLINE;
    while tmux(&["has-session", "-t", "t"]).code == Some(0) {
        assert!(Instant::now() < end, "attach did not leave");
    }
    stage.see("one", "typed in tmux");
}
