//! Holding, lingering, staleness and readiness, on made-up observations.

use engine::ChildFacts;
use proptest::prelude::*;
use serde_json::{Value, json};
use vt::Effect;

use super::*;
use crate::preset::AgentPreset;
use crate::state::HookEvent;

/// A session that tests change by hand.
#[derive(Clone)]
struct Bench {
    tracker: Tracker,
    start: Instant,
    now: u64,
    facts: ChildFacts,
    grid: String,
    hook: Option<HookEvent>,
    tools_listed: Option<Instant>,
    prompt_sent: Option<Instant>,
    last_output: Instant,
    run: u64,
    phase: RunPhase,
}

fn bench(preset: Value) -> Bench {
    let mut preset = preset;
    preset["argv"] = json!(["x"]);
    let preset: AgentPreset = serde_json::from_value(preset).unwrap();
    let start = Instant::now();
    Bench {
        tracker: Tracker::new(Arc::new(Behaviour::from(&preset))),
        start,
        now: 0,
        facts: ChildFacts::default(),
        grid: String::new(),
        hook: None,
        tools_listed: None,
        prompt_sent: None,
        last_output: start,
        run: 1,
        phase: RunPhase::Running,
    }
}

fn rule(state: &str, when: Value) -> Value {
    json!({"name": state, "state": state, "when": when})
}

/// A rule and one more field.
fn rule_with(state: &str, when: Value, field: &str, value: Value) -> Value {
    let mut rule = rule(state, when);
    rule[field] = value;
    rule
}

impl Bench {
    fn at(&self) -> Instant {
        self.start + Duration::from_millis(self.now)
    }

    fn show(&mut self, grid: &str) {
        self.grid = grid.into();
        self.last_output = self.at();
    }

    fn title(&mut self, title: &str) {
        self.facts.note(&Effect::Title(title.into()), self.at(), 1);
        self.last_output = self.at();
    }

    fn hook(&mut self, name: &str) {
        self.hook = Some(HookEvent::new(name, "", self.at()));
    }

    fn look(&mut self) -> StateLook {
        let observation = Observation {
            phase: self.phase,
            run: self.run,
            last_output: self.last_output,
            facts: &self.facts,
            grid: &self.grid,
            rows: None,
            alternate_screen: false,
            cols: 120,
            tty: None,
            hook: self.hook.as_ref(),
            tools_listed: self.tools_listed,
            prompt_sent: self.prompt_sent,
        };
        let now = self.start + Duration::from_millis(self.now);
        self.tracker.look(&observation, now)
    }

    fn state(&mut self) -> State {
        self.look().state
    }

    /// The state `milliseconds` later, if nothing else happens.
    fn after(&mut self, milliseconds: u64) -> State {
        self.now += milliseconds;
        self.state()
    }

    fn due(&mut self) -> Option<u64> {
        let look = self.look();
        look.look_again.map(|at| u64::try_from((at - self.start).as_millis()).unwrap())
    }
}

#[test]
fn evidence_has_to_hold_before_it_unseats_what_was_known() {
    let mut bench = bench(json!({"rules": [
        rule_with("idle", json!({"screen": "box"}), "hold_ms", json!(300)),
        rule_with("working", json!({"screen": "busy"}), "linger_ms", json!(0)),
    ]}));
    assert_eq!(bench.state(), State::Starting);
    bench.show("busy");
    assert_eq!(bench.after(10), State::Working);
    bench.show("box");
    assert_eq!(bench.after(10), State::Working, "too young to change anything");
    assert_eq!(bench.due(), Some(320));
    assert_eq!(bench.after(299), State::Working);
    assert_eq!(bench.after(1), State::Idle);
}

#[test]
fn the_first_thing_an_agent_shows_counts_at_once() {
    let mut bench = bench(json!({"rules": [rule_with("idle", json!({"screen": "box"}), "hold_ms", json!(300))]}));
    bench.show("box");
    assert_eq!(bench.state(), State::Idle);
}

#[test]
fn a_gap_in_drawing_is_bridged_and_does_not_begin_the_hold_anew() {
    let mut bench = bench(json!({"rules": [
        rule("working", json!({"screen": "busy"})),
        rule_with("idle", json!({"screen": "box"}), "hold_ms", json!(200)),
    ]}));
    bench.show("box");
    bench.state();
    assert_eq!(bench.after(200), State::Idle);
    bench.show("");
    assert_eq!(bench.after(10), State::Idle, "a screen lingers");
    bench.show("box");
    assert_eq!(bench.after(100), State::Idle, "it was not gone");
    bench.show("");
    assert_eq!(bench.after(10), State::Idle);
    assert_eq!(bench.due(), Some(470));
    assert_eq!(bench.after(150), State::Unknown);
    bench.show("box");
    assert_eq!(bench.after(1), State::Unknown, "what was lost has to hold again");
    assert_eq!(bench.after(200), State::Idle);
}

#[test]
fn titles_do_not_linger_unless_their_rule_says_so() {
    let mut bench = bench(json!({"rules": [
        rule("working", json!({"title": "^busy"})),
        rule_with("blocked", json!({"title": "^!"}), "linger_ms", json!(1000)),
    ]}));
    bench.title("busy");
    assert_eq!(bench.state(), State::Working);
    bench.title("!");
    assert_eq!(bench.after(1), State::Blocked);
    bench.title("blinks");
    assert_eq!(bench.after(500), State::Blocked);
    assert_eq!(bench.after(1000), State::Unknown);
}

#[test]
fn evidence_gets_stale_by_age_or_by_what_came_after_it() {
    let mut bench = bench(json!({"rules": [
        rule_with("working", json!({"hook": "^Work$"}), "until", json!({"title": "^rest"})),
        rule_with("idle", json!({"hook": "^Stop$"}), "lasts_ms", json!(1000)),
        rule("idle", json!({"screen": "box"})),
    ]}));
    bench.title("rest before");
    bench.now = 10;
    bench.hook("Work");
    assert_eq!(bench.state(), State::Working, "an older title says nothing");
    bench.now = 20;
    bench.title("rest");
    bench.show("box");
    assert_eq!(bench.state(), State::Idle);
    bench.now = 30;
    bench.title("other");
    assert_eq!(bench.state(), State::Idle, "stale evidence stays stale");
    bench.hook("Work");
    assert_eq!(bench.after(1), State::Working, "a new event is new evidence");
    bench.hook("Stop");
    bench.show("");
    assert_eq!(bench.state(), State::Idle);
    assert_eq!(bench.after(999), State::Idle);
    assert_eq!(bench.after(1), State::Unknown);
}

#[test]
fn a_screen_that_stood_there_before_does_not_make_evidence_stale() {
    let mut bench =
        bench(json!({"rules": [rule_with("blocked", json!({"hook": "^Ask$"}), "until", json!({"screen": "box"}))]}));
    bench.show("box");
    bench.state();
    bench.now = 10;
    bench.hook("Ask");
    assert_eq!(bench.state(), State::Blocked, "the box was there before the question");
    bench.show("question");
    assert_eq!(bench.after(10), State::Blocked);
    bench.show("box");
    assert_ne!(bench.after(10), State::Blocked, "the box came back");
}

/// Hooks are programs that are started: one may tell of a question that was answered meanwhile.
#[test]
fn a_hook_that_comes_too_late_is_not_believed_for_long() {
    let mut bench = bench(json!({"rules": [
        rule_with("blocked", json!({"hook": "^Ask$"}), "until", json!({"screen": "box"})),
        rule("idle", json!({"screen": "box"})),
    ]}));
    bench.show("box");
    assert_eq!(bench.state(), State::Idle);
    bench.now = 10;
    bench.hook("Ask");
    assert_eq!(bench.state(), State::Blocked);
    assert_eq!(bench.due(), Some(2010));
    assert_eq!(bench.after(1999), State::Blocked);
    assert_eq!(bench.after(1), State::Idle, "the box never went away");
    bench.hook("Ask");
    assert_eq!(bench.after(1), State::Blocked, "a new question is a new one");
}

/// A refused permission prompt leaves no hook behind: what the hook said must not outlive the prompt.
#[test]
fn a_hook_that_asks_ends_when_the_prompt_box_is_back() {
    let mut bench = bench(json!({
        "rules": [rule("blocked", json!({"hook": "^Ask$"})), rule("idle", json!({"input": "drawn"}))],
        "submit": {"input_box": "(?m)^> (?<text>.*)$"},
    }));
    bench.show("> \n");
    assert_eq!(bench.state(), State::Idle);
    bench.hook("Ask");
    let look = bench.look();
    assert_eq!((look.state, look.pending.is_some()), (State::Blocked, true), "it may not have drawn the prompt yet");
    bench.show("ALLOW?\n");
    assert_eq!(bench.after(60_000), State::Blocked);
    bench.show("> \n");
    let look = bench.look();
    assert_eq!((look.state, look.pending), (State::Idle, None));
    // Drawn all the time: after a moment it is not believed either.
    bench.hook("Ask");
    assert_eq!(bench.state(), State::Blocked);
    bench.now += 2000;
    let look = bench.look();
    assert_eq!((look.state, look.pending), (State::Idle, None));
}

#[test]
fn a_mode_stays_behind_a_dialog_and_goes_with_its_sign() {
    let mut bench = bench(json!({
        "rules": [rule("idle", json!({"input": "drawn"}))],
        "modes": [
            {"name": "auto", "when": {"screen": "auto mode on"}},
            {"name": "plan", "when": {"screen": "mode on"}},
        ],
        "submit": {"input_box": "(?m)^> (?<text>.*)$"},
    }));
    for (grid, mode) in [
        ("", None),
        ("> \nauto mode on", Some("auto")),
        ("a dialog", Some("auto")),
        ("> \nplan mode on", Some("plan")),
        ("> \n", None),
        ("a dialog", None),
    ] {
        bench.show(grid);
        assert_eq!(bench.look().mode.as_deref(), mode, "{grid:?}");
    }
}

#[test]
fn silence_counts_only_on_a_screen_that_shows_something() {
    let mut bench = bench(json!({"idle_ms": 500}));
    assert_eq!(bench.after(5000), State::Starting);
    bench.show("hello");
    assert_eq!(bench.state(), State::Working);
    assert_eq!(bench.due(), Some(5500));
    assert_eq!(bench.after(499), State::Working);
    assert_eq!(bench.after(1), State::Idle);
}

#[test]
fn what_never_shows_anything_becomes_unknown_and_what_ended_has_ended() {
    let mut bench = bench(json!({
        "rules": [rule("idle", json!({"screen": "box"}))], "ready_signal": {"timeout_ms": 10_000},
    }));
    assert_eq!(bench.state(), State::Starting);
    assert_eq!(bench.after(9_999), State::Starting);
    assert_eq!(bench.due(), Some(10_000));
    assert_eq!(bench.after(1), State::Unknown);
    bench.show("box");
    bench.phase = RunPhase::Ended(None);
    assert_eq!(bench.state(), State::Exited);
    bench.run = 2;
    bench.phase = RunPhase::Running;
    bench.show("");
    assert_eq!(bench.state(), State::Starting);
}

#[test]
fn what_the_last_run_drew_is_no_evidence_for_the_next() {
    let mut bench = bench(json!({"rules": [rule("idle", json!({"screen": "box"}))]}));
    bench.show("box");
    assert_eq!(bench.state(), State::Idle);
    bench.run = 2;
    bench.phase = RunPhase::Starting;
    assert_eq!(bench.state(), State::Starting);
    bench.phase = RunPhase::Running;
    bench.show("");
    assert_eq!(bench.state(), State::Starting);
}

#[test]
fn a_prompt_that_was_just_sent_is_not_answered_by_an_older_idle() {
    let mut bench = bench(json!({"rules": [
        rule("idle", json!({"title": "^rest"})), rule("working", json!({"title": "^busy"})), rule("idle", json!({"screen": "box"})),
    ]}));
    bench.show("box");
    assert_eq!(bench.state(), State::Idle);
    bench.now = 10;
    bench.prompt_sent = Some(bench.at());
    let look = bench.look();
    assert_eq!((look.state, look.because.unwrap().rule.as_str()), (State::Working, "a prompt was sent"));
    bench.title("busy");
    assert_eq!(bench.after(10), State::Working);
    bench.title("rest");
    assert_eq!(bench.after(10), State::Idle, "newer evidence counts");
    // Nothing ever shows that it works: then the old evidence was right after all.
    bench.prompt_sent = Some(bench.at());
    assert_eq!(bench.after(1), State::Working);
    assert_eq!(bench.after(1998), State::Working);
    assert_eq!(bench.after(1), State::Idle);
}

#[test]
fn a_cli_that_tells_of_its_turns_is_waited_for_longer() {
    let mut bench = bench(json!({"rules": [
        rule("idle", json!({"hook": "^idle"})), rule("working", json!({"hook": "^busy"})), rule("idle", json!({"screen": "box"})),
    ]}));
    bench.show("box");
    bench.hook("loaded");
    assert_eq!(bench.after(10), State::Idle);
    bench.prompt_sent = Some(bench.at());
    bench.show("");
    assert_eq!(bench.after(3000), State::Working);
    bench.show("box");
    assert_eq!(bench.after(10_000), State::Working, "a screen that was drawn anew says nothing of the turn");
    bench.hook("busy");
    assert_eq!(bench.after(10), State::Working);
    bench.hook("idle");
    assert_eq!(bench.after(10), State::Idle);
    bench.prompt_sent = Some(bench.at());
    assert_eq!(bench.after(29_999), State::Working);
    assert_eq!(bench.after(1), State::Idle, "it may have been no prompt for a turn");
    bench.prompt_sent = Some(bench.at());
    bench.now += 10;
    bench.hook("idle");
    assert_eq!(bench.state(), State::Working, "that is of the turn before");
}

#[test]
fn ready_is_tools_and_prompt_and_no_question_and_quiet() {
    let mut bench = bench(json!({
        "rules": [rule("blocked", json!({"screen": "ALLOW"})), rule("idle", json!({"screen": "box"}))],
        "ready_signal": {"tools_listed": true, "when": {"screen": "box"}, "quiet_ms": 300},
    }));
    bench.show("box ALLOW");
    let missing = bench.look().readiness.missing;
    assert_eq!(missing, ["it has not asked for patterm's tools", "a prompt or dialog is up"]);
    bench.tools_listed = Some(bench.at());
    bench.show("box");
    bench.look();
    bench.now = 1000;
    assert_eq!(bench.look().readiness.missing, ["it has not come to rest"]);
    bench.now = 1299;
    assert!(!bench.look().readiness.ready);
    bench.now = 1300;
    assert!(bench.look().readiness.ready);
    bench.show("");
    let readiness = bench.look().readiness;
    assert!(readiness.ready, "once ready is ready: {readiness:?}");
}

#[test]
fn an_agent_that_never_stops_drawing_gets_ready_too() {
    let mut bench =
        bench(json!({"rules": [rule("idle", json!({"screen": "box"}))], "ready_signal": {"when": {"screen": "box"}}}));
    let mut ready_at = None;
    for now in (0..10_000).step_by(100) {
        bench.now = now;
        bench.show(&format!("box {now}"));
        if bench.look().readiness.ready {
            ready_at = Some(now);
            break;
        }
    }
    assert_eq!(ready_at, Some(3000));
}

#[derive(Clone, Debug)]
enum Step {
    Show(&'static str),
    Title(&'static str),
    Hook(&'static str),
    Send,
    Wait(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        prop::sample::select(vec!["", "box", "busy", "ALLOW", "box busy"]).prop_map(Step::Show),
        prop::sample::select(vec!["rest", "busy"]).prop_map(Step::Title),
        prop::sample::select(vec!["Work", "Stop"]).prop_map(Step::Hook),
        Just(Step::Send),
        (1u64..800).prop_map(Step::Wait),
    ];
    prop::collection::vec(step, 1..20)
}

fn everything() -> Bench {
    bench(json!({
        "rules": [
            rule("blocked", json!({"screen": "ALLOW"})),
            rule_with("working", json!({"hook": "^Work$"}), "until", json!({"title": "^rest"})),
            rule_with("idle", json!({"hook": "^Stop$"}), "lasts_ms", json!(400)),
            rule_with("working", json!({"title": "^busy"}), "hold_ms", json!(50)),
            rule("working", json!({"screen": "busy"})),
            rule_with("idle", json!({"screen": "box"}), "hold_ms", json!(200)),
            rule("idle", json!({"silence_ms": 700})),
        ],
        "ready_signal": {"when": {"screen": "box"}, "quiet_ms": 100, "timeout_ms": 3000},
    }))
}

proptest! {
    /// Whoever sleeps until `look_again` misses nothing.
    #[test]
    fn nothing_changes_before_the_time_to_look_again(steps in steps(), early in 0.0f64..1.0) {
        let mut bench = everything();
        for step in steps {
            match step {
                Step::Show(grid) => bench.show(grid),
                Step::Title(title) => bench.title(title),
                Step::Hook(name) => bench.hook(name),
                Step::Send => bench.prompt_sent = Some(bench.at()),
                Step::Wait(milliseconds) => bench.now += milliseconds,
            }
            let look = bench.look();
            let due = look.look_again.map_or(100_000, |at| u64::try_from((at - bench.start).as_millis()).unwrap());
            prop_assert!(due > bench.now, "a time to look again lies ahead");
            let mut earlier = bench.clone();
            earlier.now += ((due - bench.now - 1) as f64 * early) as u64;
            let then = earlier.look();
            prop_assert_eq!((then.state, then.readiness), (look.state, look.readiness));
        }
    }

    #[test]
    fn a_visible_question_is_never_idle(steps in steps()) {
        let mut bench = everything();
        for step in steps {
            match step {
                Step::Show(grid) => bench.show(grid),
                Step::Title(title) => bench.title(title),
                Step::Hook(name) => bench.hook(name),
                Step::Send => bench.prompt_sent = Some(bench.at()),
                Step::Wait(milliseconds) => bench.now += milliseconds,
            }
            let asks = bench.grid.contains("ALLOW");
            let state = bench.state();
            prop_assert!(!asks || state == State::Blocked, "{state}");
        }
    }
}
