//! Clients and children that misbehave, against a real coordinator: what they cost it, and whom they delay. The tests
//! that take long or measure time are run separately: `cargo test -p vtr -- --ignored --test-threads 1 faults`, with
//! `--nocapture` to see the figures. FLOOD_SECONDS=60 floods for a minute.

use std::{
    process::Stdio,
    time::{Duration, Instant},
};

use grpc::{
    client::{CoordinatorClient, Endpoint, connect},
    proto::*,
};
use testkit::{Script, wait_until};

use crate::{
    stage::{Stage, TestChild},
    vitals::{children, descriptors, forget_peak, peak, resident, threads},
};

const MEGABYTE: u64 = 1 << 20;

async fn client(stage: &Stage) -> CoordinatorClient {
    connect(&Endpoint::Socket(stage.socket().to_owned())).await.unwrap()
}

async fn spawn(client: &CoordinatorClient, name: &str, script: &Script) {
    let argv = script.argv().into_iter().map(|word| word.into_string().unwrap()).collect();
    let request = SpawnRequest { name: name.into(), argv, ..Default::default() };
    client.vtr().spawn(request).await.unwrap();
}

async fn watchers(client: &CoordinatorClient, name: &str) -> i32 {
    let answer = client.vtr().info(InfoRequest { name: name.into() }).await.unwrap();
    answer.into_inner().session.unwrap().watchers
}

/// Waits until the session's screen shows it.
async fn see(client: &CoordinatorClient, name: &str, pattern: &str) {
    let scope = WaitScope::Grid.into();
    let request = WaitForRequest { name: name.into(), pattern: pattern.into(), scope, ..Default::default() };
    assert!(client.vtr().wait_for(request).await.unwrap().into_inner().matched, "{pattern} never showed");
}

fn waiting_in_vain(stage: &Stage) -> TestChild {
    TestChild::start(stage.command(&["wait", "x", "never", "--timeout", "60s"]).stdout(Stdio::null()))
}

#[test]
fn a_client_that_is_killed_leaves_no_wait_behind() {
    let stage = Stage::new();
    stage.spawn_cat("x");
    let watchers = || stage.vtr(&["info", "x", "--json"]).json()["watchers"].as_i64().unwrap();
    let mut waiting = waiting_in_vain(&stage);
    wait_until("it waits", || watchers() == 1);
    waiting.kill().unwrap();
    waiting.ended();
    wait_until("nobody waits", || watchers() == 0);
}

#[tokio::test]
#[ignore = "measures time"]
async fn a_client_that_is_killed_frees_its_wait_within_100_ms() {
    let stage = Stage::new();
    stage.spawn_cat("x");
    let client = client(&stage).await;
    let mut longest = Duration::ZERO;
    for _ in 0..20 {
        let mut waiting = waiting_in_vain(&stage);
        testkit::soon("it waits", async { while watchers(&client, "x").await != 1 {} }).await;
        waiting.kill().unwrap();
        waiting.ended();
        let start = Instant::now();
        testkit::soon("nobody waits", async { while watchers(&client, "x").await != 0 {} }).await;
        longest = longest.max(start.elapsed());
    }
    println!("a killed client's wait is gone after at most {longest:?}");
    assert!(longest < Duration::from_millis(100), "{longest:?}");
}

#[tokio::test]
#[ignore = "floods for seconds"]
async fn a_subscriber_that_never_reads_costs_less_than_10_megabytes() {
    let seconds = std::env::var("FLOOD_SECONDS").map_or(5, |seconds| seconds.parse().unwrap());
    let mut stage = Stage::new();
    let client = client(&stage).await;
    let pid = stage.server().pid();
    // History and ring are filled before anything is measured.
    let script = Script::new().flood(10_000_000).print("\r\nfull").read_line().flood_forever();
    spawn(&client, "x", &script).await;
    see(&client, "x", "full").await;
    let idle = self::client(&stage).await;
    let before = resident(pid);
    let request = SubscribeRequest {
        name: "x".into(),
        include_screen_updates: true,
        include_raw_output: true,
        ..Default::default()
    };
    let unread = idle.vtr().subscribe(request).await.unwrap();
    client.vtr().send_key(SendKeyRequest { name: "x".into(), key: "enter".into() }).await.unwrap();
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    let grown = peak(pid).saturating_sub(before);
    let version = client.vtr().info(InfoRequest { name: "x".into() }).await.unwrap().into_inner().session.unwrap();
    println!("{seconds} s of flood, screen version {}: {grown} bytes more at most", version.screen_version);
    assert!(grown < 10 * MEGABYTE, "{grown} bytes more");
    drop(unread);
    stage.vtr(&["kill", "x", "--signal", "KILL"]).ok();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "measures memory"]
async fn many_looks_back_at_once_are_bounded_and_their_memory_is_given_back() {
    let mut stage = Stage::new();
    let client = client(&stage).await;
    let pid = stage.server().pid();
    // Each cell has its own colour: the answer is a hundred times as large as the text.
    let row: String = (0..78).map(|cell| format!("\x1b[38;5;{}mx", cell * 3)).collect();
    let argv = ["sh", "-c", "yes \"$1\" | head -n 12000; echo full; read x", "sh", &row].map(str::to_owned).into();
    client.vtr().spawn(SpawnRequest { name: "x".into(), argv, ..Default::default() }).await.unwrap();
    see(&client, "x", "full").await;
    let look = || {
        let mut vtr = client.vtr();
        async move {
            let request = GetHistoryRequest { name: "x".into(), ..Default::default() };
            vtr.get_history(request).await.unwrap().into_inner().lines.len()
        }
    };
    let before = resident(pid);
    let took = || peak(pid).saturating_sub(before);
    forget_peak(pid);
    assert!(look().await > 1000);
    let one = took();
    wait_until("the memory is given back", || resident(pid) < before + one / 2);
    forget_peak(pid);
    let mut looks = tokio::task::JoinSet::new();
    for _ in 0..8 {
        looks.spawn(look());
    }
    while let Some(lines) = looks.join_next().await {
        assert!(lines.unwrap() > 1000);
    }
    let eight = took();
    wait_until("the memory is given back", || resident(pid) < 2 * before);
    println!("a look back: {before} bytes before, {one} more at most, {eight} more for eight at once");
    // Two answers are made at a time, and the others wait to be sent: this takes less memory than eight in parallel,
    // whatever one of them takes in this build.
    assert!(eight < 6 * one, "{eight} bytes for eight looks back, {one} for one");
}

#[tokio::test]
async fn a_message_of_100_megabytes_is_refused_and_never_kept() {
    let mut stage = Stage::new();
    stage.spawn_cat("x");
    let client = client(&stage).await;
    let pid = stage.server().pid();
    let before = resident(pid);
    let request = SendBytesRequest { name: "x".into(), data: vec![b'x'; 100_000_000] };
    let status = client.vtr().send_bytes(request).await.unwrap_err();
    let failure = grpc::CallFailure::from(&status);
    assert_eq!((failure.code, failure.kind), (tonic::Code::ResourceExhausted, Some(ops::ErrorKind::LimitExceeded)));
    let grown = peak(pid).saturating_sub(before);
    println!("a message of 100 MB: {grown} bytes more at most");
    assert!(grown < 8 * MEGABYTE, "{grown} bytes more");
    assert_eq!(watchers(&client, "x").await, 0, "the connection goes on");
}

#[tokio::test]
#[ignore = "measures time"]
async fn a_child_that_does_not_read_holds_up_nobody() {
    let mut stage = Stage::new();
    let client = client(&stage).await;
    let pid = stage.server().pid();
    spawn(&client, "deaf", &Script::new().raw().print("up").hang()).await;
    see(&client, "deaf", "up").await;
    let before = resident(pid);
    let (mut refused, mut longest) = (0, Duration::ZERO);
    for _ in 0..20 {
        let request = SendBytesRequest { name: "deaf".into(), data: vec![b'x'; 1_000_000] };
        if let Err(status) = client.vtr().send_bytes(request).await {
            let failure = grpc::CallFailure::from(&status);
            assert_eq!(failure.kind, Some(ops::ErrorKind::LimitExceeded), "{failure:?}");
            assert!(failure.message.contains("'deaf' does not read"), "{failure:?}");
            refused += 1;
        }
        let start = Instant::now();
        client.vtr().get_screen(GetScreenRequest { name: "deaf".into(), ..Default::default() }).await.unwrap();
        longest = longest.max(start.elapsed());
    }
    let grown = peak(pid).saturating_sub(before);
    println!("20 MB to a deaf child: {refused} MB refused, next call within {longest:?}, {grown} bytes more at most");
    assert!(refused >= 17, "{refused} of 20 refused");
    assert!(longest < Duration::from_millis(10), "{longest:?}");
    // Two in the queue, and messages in transit.
    assert!(grown < 16 * MEGABYTE, "{grown} bytes more");
}

#[tokio::test]
#[ignore = "starts ten thousand processes"]
async fn ten_thousand_sessions_come_and_go_and_leave_nothing() {
    let mut stage = Stage::new();
    let client = client(&stage).await;
    let pid = stage.server().pid();
    let come_and_go = async |count: usize| {
        for _ in 0..count {
            let request = SpawnRequest { name: "x".into(), argv: vec!["true".into()], ..Default::default() };
            client.vtr().spawn(request).await.unwrap();
            client.vtr().remove(RemoveRequest { name: "x".into() }).await.unwrap();
        }
    };
    // Until allocator and thread pools have reached their usual size.
    come_and_go(500).await;
    let held = || (descriptors(pid), children(pid));
    let (before, memory, crew) = (held(), resident(pid), threads(pid));
    let start = Instant::now();
    come_and_go(10_000).await;
    let grown = resident(pid).saturating_sub(memory);
    println!("10,000 spawned and removed in {:?}: {grown} bytes more, {before:?} -> {:?}", start.elapsed(), held());
    assert_eq!(held(), before, "descriptors and children");
    assert_eq!(held().1, 0, "no child is left, dead or alive");
    // A pool may have one thread more or less at any moment.
    assert!(threads(pid) <= crew + 4, "{crew} -> {}", threads(pid));
    assert!(grown < 4 * MEGABYTE, "{grown} bytes more");
}
