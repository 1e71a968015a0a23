//! Timers, by a clock that moves only when the test says so.

use std::time::Duration;

use engine::{FakeClock, Input, Kind, Origin, Session, StopRequest};
use ops::{Caller, ErrorKind};
use serde_json::{Value, json};
use testkit::Script;

use crate::stage::{Setting, Stage, id, line, until};

struct Ring {
    stage: Stage,
    fake: FakeClock,
    root: Session,
    caller: Caller,
}

impl Ring {
    async fn new() -> Self {
        let fake = FakeClock::new();
        let stage = Stage::with(Setting { clock: fake.clock(), ..Setting::default() });
        let (root, caller) = stage.agent(None).await;
        Ring { stage, fake, root, caller }
    }

    async fn call(&self, name: &str, args: Value) -> Value {
        self.stage.json_as(&self.caller, name, args).await.unwrap()
    }

    fn advance(&self, seconds: f64) {
        self.fake.advance(Duration::from_secs_f64(seconds));
    }

    async fn listed(&self) -> Vec<Value> {
        self.call("timer_list", json!({})).await["timers"].as_array().unwrap().clone()
    }

    /// A child that prints a line for each line it gets, and the line it has printed.
    async fn child(&self) -> Session {
        let script = Script::new().no_echo().print("up\n").cat();
        let child = self.stage.spawn(Kind::Command, Some(&self.root), script).await;
        line(&child, "up").await;
        child
    }

    async fn prints(&self, child: &Session) {
        let before = child.output_offset();
        child.send(Input::Text("x\n".into()), Origin::System).unwrap();
        // All of it: what came after the clock went on would be work again.
        let all = before + "x\r\n".len() as u64;
        until("the child prints", || child.output_offset() >= all && child.idle_for() == Duration::ZERO).await;
    }
}

#[tokio::test]
async fn delays_fire_once_with_their_text() {
    let ring = Ring::new().await;
    let later =
        ring.call("timer_set", json!({"seconds": 60, "body": "[system] look at the build", "label": "b"})).await;
    ring.call("timer_wait", json!({"seconds": 5, "label": "tea"})).await;
    ring.call("timer_wait", json!({"seconds": 7})).await;
    let listed = ring.listed().await;
    assert_eq!(listed.len(), 3);
    let entry = listed.iter().find(|entry| entry["timer_id"] == later["timer_id"]).unwrap();
    assert_eq!((&entry["kind"], &entry["status"], &entry["label"]), (&json!("delay"), &json!("pending"), &json!("b")));
    assert_eq!((&entry["owner_process_id"], &entry["remaining_seconds"]), (&json!(id(&ring.root)), &json!(60.0)));
    ring.advance(4.9);
    assert_eq!(ring.listed().await.len(), 3);
    ring.advance(0.1);
    assert_eq!(ring.stage.told.count(&ring.root, 1).await, ["[system] Your timer [tea] has completed."]);
    ring.advance(60.0);
    let texts = ring.stage.told.count(&ring.root, 3).await;
    assert_eq!(texts[1..], ["[system] Your timer has completed.", "[system] look at the build"]);
    assert_eq!(ring.listed().await, [] as [Value; 0]);
    line(&ring.root, r"^\[system\] look at the build").await;
    ring.stage.close().await;
}

#[tokio::test]
async fn a_timer_is_cancelled_paused_and_resumed_by_its_owner_or_who_set_it() {
    let ring = Ring::new().await;
    let (child, below) = ring.stage.agent(Some(&ring.root)).await;
    let (_, stranger) = ring.stage.agent(None).await;
    let set = json!({"seconds": 10, "body": "check", "owner_process_id": id(&child)});
    let timer = ring.call("timer_set", set).await["timer_id"].clone();
    let it = json!({"timer_id": timer});
    for operation in ["timer_cancel", "timer_pause", "timer_resume"] {
        assert_eq!(ring.stage.refusal(&stranger, operation, it.clone()).await, ErrorKind::NotFound);
        assert_eq!(ring.stage.refusal(&ring.caller, operation, json!({"timer_id": "tm_x"})).await, ErrorKind::NotFound);
    }
    ring.advance(4.0);
    ring.call("timer_pause", it.clone()).await;
    ring.advance(100.0);
    let paused = ring.listed().await;
    assert_eq!((&paused[0]["status"], &paused[0]["remaining_seconds"]), (&json!("paused"), &json!(6.0)));
    ring.stage.json_as(&below, "timer_resume", it.clone()).await.unwrap();
    ring.advance(5.9);
    assert_eq!(ring.listed().await.len(), 1);
    ring.advance(0.2);
    // Set by the parent, so it is the parent's word.
    assert_eq!(ring.stage.told.count(&child, 1).await, ["[orchestrator] check"]);
    let other = ring.call("timer_wait", json!({"seconds": 1})).await["timer_id"].clone();
    ring.call("timer_cancel", json!({"timer_id": other})).await;
    ring.advance(10.0);
    assert_eq!(ring.listed().await, [] as [Value; 0]);
    assert_eq!(ring.stage.told.all(&ring.root), [] as [String; 0]);
    ring.stage.close().await;
}

#[tokio::test]
async fn any_fires_when_one_of_those_at_work_comes_to_rest() {
    let ring = Ring::new().await;
    let (resting, working) = (ring.child().await, ring.child().await);
    ring.advance(2.0);
    ring.prints(&working).await;
    let args = json!({"watched": [id(&resting), id(&working), id(&resting)], "body": "one is done"});
    let reply = ring.call("timer_fire_when_idle_any", args).await;
    assert_eq!((&reply["already_satisfied"], &reply["already_idle"]), (&json!(false), &json!([id(&resting)])));
    ring.advance(0.5);
    ring.prints(&working).await;
    ring.advance(0.6);
    assert_eq!(ring.listed().await.len(), 1, "it printed half a second ago");
    ring.advance(0.5);
    assert_eq!(ring.stage.told.count(&ring.root, 1).await, ["[system] one is done"]);
    ring.stage.close().await;
}

#[tokio::test]
async fn one_at_rest_counts_after_it_has_worked_again() {
    let ring = Ring::new().await;
    let child = ring.child().await;
    ring.advance(2.0);
    let reply = ring.call("timer_fire_when_idle_any", json!({"watched": [id(&child)], "body": "again"})).await;
    assert_eq!(reply["already_idle"], json!([id(&child)]));
    ring.advance(100.0);
    assert_eq!(ring.listed().await.len(), 1);
    let rest = ring.stage.project.timers().clone();
    ring.prints(&child).await;
    // The timer has to have seen the work before the clock goes on.
    until("the timer sees it work", || {
        rest.list(None).iter().all(|timer| format!("{:?}", timer.condition).contains("Working"))
    })
    .await;
    ring.advance(1.0);
    assert_eq!(ring.stage.told.count(&ring.root, 1).await, ["[system] again"]);
    ring.stage.close().await;
}

#[tokio::test]
async fn all_fires_when_the_last_rests_and_says_when_there_is_nothing_to_wait_for() {
    let ring = Ring::new().await;
    let (first, second) = (ring.child().await, ring.child().await);
    ring.advance(2.0);
    let args = json!({"watched": [id(&first), id(&second)], "body": "all done"});
    let reply = ring.call("timer_fire_when_idle_all", args.clone()).await;
    assert_eq!(reply["already_satisfied"], true);
    assert!(reply.get("timer_id").is_none() && ring.listed().await.is_empty(), "{reply}");
    ring.prints(&second).await;
    let reply = ring.call("timer_fire_when_idle_all", args).await;
    assert_eq!((&reply["already_satisfied"], &reply["already_idle"]), (&json!(false), &json!([id(&first)])));
    ring.advance(1.0);
    assert_eq!(ring.stage.told.count(&ring.root, 1).await, ["[system] all done"]);
    ring.stage.close().await;
}

#[tokio::test]
async fn idle_timers_fire_when_a_session_ends_or_the_wait_is_too_long() {
    let ring = Ring::new().await;
    let (ends, closed, stays) = (ring.child().await, ring.child().await, ring.child().await);
    let watch = |session: &Session, body: &str| json!({"watched": [id(session)], "body": body});
    ring.call("timer_fire_when_idle_any", watch(&ends, "ended")).await;
    ends.kill(engine::Signal::KILL).unwrap();
    ring.stage.told.count(&ring.root, 1).await;
    ring.call("timer_fire_when_idle_all", watch(&closed, "closed")).await;
    closed.remove(StopRequest { signal: None, grace: Some(Duration::ZERO) }).await.unwrap();
    ring.stage.told.count(&ring.root, 2).await;
    let reply = ring.call("timer_fire_when_idle_any", watch(&ends, "never")).await;
    assert_eq!(reply["already_satisfied"], true, "what has ended can't come to rest");
    ring.advance(2.0);
    let late = json!({"watched": [id(&stays)], "body": "too long", "max_wait_seconds": 30});
    ring.call("timer_fire_when_idle_any", late).await;
    ring.advance(30.0);
    let texts = ring.stage.told.count(&ring.root, 4).await;
    for expected in ["[system] ended", "[system] closed", "[system] too long"] {
        assert!(texts.iter().any(|text| text == expected), "{expected}: {texts:?}");
    }
    ring.stage.close().await;
}

#[tokio::test]
async fn timers_end_with_their_owner_and_wrong_ones_are_refused() {
    let ring = Ring::new().await;
    let (child, below) = ring.stage.agent(Some(&ring.root)).await;
    let command = ring.child().await;
    ring.stage.json_as(&below, "timer_wait", json!({"seconds": 5})).await.unwrap();
    child.stop(StopRequest::default()).await.unwrap();
    until("the owner's timers are gone", || ring.stage.project.timers().list(None).is_empty()).await;
    let refused: [(&Caller, &str, Value, ErrorKind); 9] = [
        (&below, "timer_wait", json!({"seconds": 5}), ErrorKind::NotRunning),
        (&Caller::operator(), "timer_wait", json!({"seconds": 5}), ErrorKind::InvalidArgs),
        (&ring.caller, "timer_wait", json!({"seconds": -1}), ErrorKind::InvalidArgs),
        (&ring.caller, "timer_set", json!({"seconds": 1, "body": ""}), ErrorKind::InvalidArgs),
        (
            &ring.caller,
            "timer_set",
            json!({"seconds": 1, "body": "x", "owner_process_id": id(&command)}),
            ErrorKind::WrongKind,
        ),
        (&ring.caller, "timer_fire_when_idle_any", json!({"watched": [], "body": "x"}), ErrorKind::InvalidArgs),
        (
            &ring.caller,
            "timer_fire_when_idle_any",
            json!({"watched": ["agent-1"], "body": "x"}),
            ErrorKind::InvalidArgs,
        ),
        (&ring.caller, "timer_fire_when_idle_all", json!({"watched": ["nobody"], "body": "x"}), ErrorKind::NotFound),
        (
            &below,
            "timer_set",
            json!({"seconds": 1, "body": "x", "owner_process_id": id(&ring.root)}),
            ErrorKind::NotRelated,
        ),
    ];
    for (caller, operation, args, kind) in refused {
        assert_eq!(ring.stage.refusal(caller, operation, args.clone()).await, kind, "{operation} {args}");
    }
    let (other, _) = ring.stage.agent(None).await;
    let foreign = json!({"watched": [id(&other)], "body": "x"});
    assert_eq!(ring.stage.refusal(&ring.caller, "timer_fire_when_idle_all", foreign).await, ErrorKind::NotRelated);
    for _ in 0..256 {
        ring.call("timer_wait", json!({"seconds": 5})).await;
    }
    let more = ring.stage.refusal(&ring.caller, "timer_wait", json!({"seconds": 5})).await;
    assert_eq!(more, ErrorKind::LimitExceeded);
    ring.stage.close().await;
}
