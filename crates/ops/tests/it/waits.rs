//! Waiting for text and for silence.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use ops::{Call, Caller, ErrorKind, Progress, operations::*};
use serde_json::{Value, json};
use testkit::Script;

use crate::stage::{Stage, ended, id, line, soon};

async fn wait(stage: &Stage, session: &engine::Session, more: Value) -> Value {
    let mut args = json!({"process_id": id(session), "timeout_seconds": 60});
    args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    stage.json("wait_for_pattern", args).await.unwrap()
}

#[tokio::test]
async fn what_is_there_is_found_at_once() {
    let stage = Stage::new();
    let session = stage.spawn(Script::new().print("one\ntwo three\n").hang()).await;
    line(&session, "three").await;
    let found = wait(&stage, &session, json!({"pattern": "t\\w+ t"})).await;
    assert_eq!(found, json!({"matched": true, "snippet": "two three", "line_no": 1}));
    let found = wait(&stage, &session, json!({"pattern": "^one$", "scope": "scrollback"})).await;
    assert_eq!(found, json!({"matched": true, "snippet": "one", "line_no": 0}));
    stage.close().await;
}

#[tokio::test]
async fn scopes_differ_in_what_they_see() {
    let stage = Stage::new();
    let session = stage.shell("echo early; seq 1 60; read x; echo late").await;
    line(&session, "^60$").await;
    let none = json!({"matched": false, "reason": "timeout"});
    // It has scrolled off the screen.
    assert_eq!(wait(&stage, &session, json!({"pattern": "early", "timeout_seconds": 0})).await, none);
    let past = wait(&stage, &session, json!({"pattern": "early", "scope": "scrollback"})).await;
    assert_eq!(past["matched"], true);
    let new = json!({"pattern": "early", "scope": "new_output", "timeout_seconds": 0});
    assert_eq!(wait(&stage, &session, new).await, none);
    // What comes while it waits.
    let coming = wait(&stage, &session, json!({"pattern": "^late$", "scope": "new_output"}));
    let send = stage.json("send_input", json!({"process_id": id(&session), "text": ""}));
    let (found, sent) = tokio::join!(coming, send);
    sent.unwrap();
    assert_eq!((&found["matched"], &found["snippet"]), (&json!(true), &json!("late")));
    stage.close().await;
}

#[tokio::test]
async fn an_end_ends_the_wait() {
    let stage = Stage::new();
    let session = stage.spawn(Script::new().print("last words\n").exit(1)).await;
    let gone = json!({"matched": false, "reason": "exited"});
    assert_eq!(wait(&stage, &session, json!({"pattern": "never", "timeout_seconds": 600})).await, gone);
    ended(&session).await;
    assert_eq!(wait(&stage, &session, json!({"pattern": "never"})).await, gone);
    // What it printed last still counts.
    assert_eq!(wait(&stage, &session, json!({"pattern": "last words"})).await["matched"], true);
    stage.close().await;
}

#[tokio::test]
async fn wrong_waits_are_refused() {
    let stage = Stage::new();
    let session = stage.spawn(Script::new().hang()).await;
    for more in [
        json!({"pattern": "("}),
        json!({"pattern": "(?=x)"}),
        json!({"pattern": "x".repeat(5000)}),
        json!({"pattern": "x", "timeout_seconds": 601}),
        json!({"pattern": "x", "timeout_seconds": -1}),
        json!({"pattern": "x", "scope": "moon"}),
    ] {
        let mut args = json!({"process_id": id(&session)});
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assert_eq!(stage.refusal("wait_for_pattern", args).await, ErrorKind::InvalidArgs, "{more}");
    }
    let args = json!({"process_id": id(&session), "timeout_seconds": 1e9});
    assert_eq!(stage.refusal("wait_for_idle", args).await, ErrorKind::InvalidArgs);
    stage.close().await;
}

#[tokio::test]
async fn a_dropped_wait_frees_its_place() {
    let stage = Stage::new();
    let session = stage.spawn(Script::new().hang()).await;
    let listeners = session.pulse_listeners();
    let args = wait_for_pattern::Args { process_id: id(&session), pattern: "x".into(), ..Default::default() };
    let mut waiting = Box::pin(stage.run::<WaitForPattern>(args));
    tokio::select! {
        biased;
        _ = &mut waiting => panic!("nothing matches"),
        () = tokio::task::yield_now() => {}
    }
    assert_eq!(session.pulse_listeners(), listeners + 1);
    drop(waiting);
    assert_eq!(session.pulse_listeners(), listeners);
    stage.close().await;
}

#[tokio::test]
async fn silence_is_waited_for() {
    let stage = Stage::new();
    let quiet = stage.spawn(Script::new().print("hush\n").hang()).await;
    let idle = |session: &engine::Session, idle_ms: u64, timeout: f64| {
        stage.json("wait_for_idle", json!({"process_id": id(session), "idle_ms": idle_ms, "timeout_seconds": timeout}))
    };
    assert_eq!(idle(&quiet, 20, 60.0).await.unwrap(), json!({"idle": true, "timed_out": false}));
    assert_eq!(idle(&quiet, 600_000, 0.0).await.unwrap(), json!({"idle": false, "timed_out": true}));
    let loud = stage.spawn(Script::new().flood_forever()).await;
    line(&loud, "\\d").await;
    assert_eq!(idle(&loud, 60_000, 0.05).await.unwrap(), json!({"idle": false, "timed_out": true}));
    let over = stage.spawn(Script::new().exit(0)).await;
    let reply = idle(&over, 60_000, 60.0).await.unwrap();
    assert_eq!(reply, json!({"idle": true, "timed_out": false, "reason": "exited"}));
    stage.close().await;
}

#[tokio::test(start_paused = true)]
async fn long_waits_say_that_they_are_still_at_it() {
    let stage = Stage::new();
    let session = stage.spawn(Script::new().hang()).await;
    let told = Arc::new(Mutex::new(Vec::new()));
    let progress = Progress::new({
        let told = told.clone();
        move |what| told.lock().unwrap().push(what.to_owned())
    });
    let call = Call::new(stage.context.clone(), Caller::operator()).with_progress(progress);
    let args = wait_for_pattern::Args {
        process_id: id(&session),
        pattern: "never".into(),
        timeout_seconds: Some(600.0),
        ..Default::default()
    };
    // Time is the runtime's here, and it skips to the next timer.
    let wait = tokio::spawn(ops::run::<WaitForPattern, _>(call, args));
    while told.lock().unwrap().len() < 3 {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    wait.abort();
    assert!(told.lock().unwrap()[1].contains("20 s"), "{told:?}");
    tokio::time::resume();
    soon("closed", stage.close()).await;
}
