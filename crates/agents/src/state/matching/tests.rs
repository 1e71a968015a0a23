//! Conditions, one clause at a time.

use std::sync::Arc;

use engine::{ChildFacts, TtyFacts};
use serde_json::{Value, json};
use vt::{DesktopNotification, Effect, ProgramState, StatusChange};

use super::*;
use crate::preset::AgentPreset;
use crate::state::{HookEvent, RunPhase};

struct Scene {
    facts: ChildFacts,
    grid: &'static str,
    tty: Option<TtyFacts>,
    hook: Option<HookEvent>,
    behaviour: Behaviour,
    start: Instant,
}

const GRID: &str = "talk\n--box--\n> old\n--end--\n\n--box--\n│ first │\n│ second │\n--end--\nfooter\n";

fn scene() -> Scene {
    let preset = json!({
        "argv": ["x"],
        "regions": {"end": {"last_rows": 1}},
        "submit": {
            "input_box": "(?m)^--box--\\n(?<text>(?:[^\\n-][^\\n]*\\n)*)--end--",
            "placeholder": "^Ask anything",
        },
    });
    let preset: AgentPreset = serde_json::from_value(preset).unwrap();
    Scene {
        facts: ChildFacts::default(),
        grid: GRID,
        tty: None,
        hook: None,
        behaviour: Behaviour::from(&preset),
        start: Instant::now(),
    }
}

impl Scene {
    fn note(&mut self, effect: &Effect, at: u64) {
        self.facts.note(effect, self.start + Duration::from_millis(at), 1);
    }

    fn ask(&self, condition: &Value) -> ConditionAnswer {
        self.with(|matcher| matcher.ask(&serde_json::from_value(condition.clone()).unwrap()))
    }

    fn holds(&self, condition: &Value) -> bool {
        self.ask(condition).holds.is_some()
    }

    fn with<R>(&self, ask: impl FnOnce(&Matcher<'_>) -> R) -> R {
        let observation = Observation {
            phase: RunPhase::Running,
            run: 1,
            last_output: self.start,
            facts: &self.facts,
            grid: self.grid,
            rows: None,
            alternate_screen: false,
            cols: 120,
            tty: self.tty,
            hook: self.hook.as_ref(),
            tools_listed: None,
            prompt_sent: None,
        };
        ask(&Matcher::new(&observation, &self.behaviour, self.start + Duration::from_millis(500)))
    }

    fn input(&self) -> InputText {
        self.with(|matcher| matcher.input().clone())
    }
}

#[test]
fn what_was_said_beside_the_screen() {
    let mut scene = scene();
    for absent in [
        json!({"title": ""}),
        json!({"agent_state": {"state": ""}}),
        json!({"osc": {"number": 7777, "body": ""}}),
        json!({"notification": ""}),
        json!({"hook": ""}),
        json!({"progress": ["indeterminate"]}),
    ] {
        assert!(!scene.holds(&absent), "{absent}");
    }
    assert!(scene.holds(&json!({"progress": ["clear"]})), "never reported is clear");
    assert!(scene.holds(&json!({"title_not": "busy"})));

    scene.note(&Effect::Title("⠂ busy".into()), 10);
    scene.note(&Effect::Progress(vt::ProgressReport::Indeterminate), 20);
    let record = StatusRecord { app: Some("x".into()), ..StatusRecord::new(ProgramState::Working) };
    scene.note(&Effect::ProgramStatus(StatusChange::Set(Arc::new(record))), 30);
    scene.note(&Effect::UnknownOsc { number: 7777, body: "hi".into() }, 40);
    scene.note(&Effect::Notification(DesktopNotification { title: "t".into(), body: "needs you".into() }), 50);
    scene.hook = Some(HookEvent::new("Notification", "type=idle_prompt message=x", scene.start));
    assert!(scene.holds(&json!({"hook": "^Notification$", "hook_detail": "^type=idle_prompt\\b"})));
    assert!(!scene.holds(&json!({"hook": "^Notification$", "hook_detail": "^type=permission_prompt"})));
    assert!(!scene.holds(&json!({"hook": "^Stop$", "hook_detail": "^type=idle_prompt"})));
    scene.hook = Some(HookEvent::new("Stop", "", scene.start + Duration::from_millis(60)));
    for (holds, at) in [
        (json!({"title": "^[\\x{2800}-\\x{28FF}]"}), 10),
        (json!({"progress": ["percent", "indeterminate"]}), 20),
        (json!({"agent_state": {"state": "^working$", "app": "x"}}), 30),
        (json!({"osc": {"number": 7777, "body": "^hi$"}}), 40),
        (json!({"notification": "needs you"}), 50),
        (json!({"hook": "^Stop$"}), 60),
        (json!({"title": "busy", "hook": "^Stop$"}), 60),
    ] {
        let found = scene.ask(&holds).holds.unwrap_or_else(|| panic!("{holds} should hold"));
        assert_eq!(found.given, Some(scene.start + Duration::from_millis(at)), "{holds}");
        assert!(!found.detail.is_empty());
    }
    for fails in [
        json!({"title": "busy", "progress": ["clear"]}),
        json!({"agent_state": {"state": "^working$", "kind": ""}}),
        json!({"title_not": "busy"}),
        json!({"osc": {"number": 7776, "body": ""}}),
    ] {
        assert!(!scene.holds(&fails), "{fails}");
    }
}

#[test]
fn what_is_on_the_screen() {
    let scene = scene();
    assert!(scene.holds(&json!({"screen": "(?m)^talk$"})));
    assert!(!scene.holds(&json!({"screen": "talk", "region": "end"})));
    assert!(scene.holds(&json!({"screen": "footer", "screen_not": "talk", "region": "end"})));
    assert!(!scene.holds(&json!({"screen_not": "talk"})));
    assert!(!scene.holds(&json!({"alternate_screen": true})));
    let found = scene.ask(&json!({"screen": "ta\\w+"})).holds.unwrap();
    assert_eq!((found.given, found.detail.as_str()), (None, "the screen shows 'talk'"));
}

#[test]
fn the_last_prompt_box_counts_without_its_frame() {
    let mut scene = scene();
    assert_eq!(scene.input(), InputText::Text("first\nsecond".into()));
    assert!(scene.holds(&json!({"input": "text"})) && scene.holds(&json!({"input": "drawn"})));
    scene.grid = "--box--\n│       │\n--end--\n";
    assert_eq!(scene.input(), InputText::Empty);
    scene.grid = "--box--\n┃ Ask anything… \"Fix\"\n--end--\n";
    assert_eq!(scene.input(), InputText::Empty);
    assert!(scene.holds(&json!({"input": "empty"})));
    scene.grid = "nothing";
    assert_eq!(scene.input(), InputText::Absent);
    assert!(scene.holds(&json!({"input": "absent"})) && !scene.holds(&json!({"input": "drawn"})));
}

#[test]
fn terminals_and_time() {
    let mut scene = scene();
    assert!(!scene.holds(&json!({"tty": {"echo": false}})), "not known is not so");
    scene.tty = Some(TtyFacts { canonical: true, echo: false, signals: true });
    assert!(scene.holds(&json!({"tty": {"echo": false, "canonical": true}})));
    assert!(!scene.holds(&json!({"tty": {"echo": true}})));
    // Half a second has passed since the last output.
    let due = |milliseconds: u64| Some(scene.start + Duration::from_millis(milliseconds));
    assert!(scene.holds(&json!({"silence_ms": 500})) && !scene.holds(&json!({"silence_ms": 501})));
    assert_eq!(scene.ask(&json!({"silence_ms": 501})).look_again, due(501));
    assert!(scene.holds(&json!({"output_within_ms": 501})) && !scene.holds(&json!({"output_within_ms": 500})));
    assert_eq!(scene.ask(&json!({"output_within_ms": 501})).look_again, due(501));
    assert_eq!(scene.ask(&json!({"silence_ms": 501, "screen": "absent"})).look_again, None);
}

#[test]
fn the_strongest_part_gives_the_source() {
    for (condition, source) in [
        (json!({"hook": "x", "screen": "y"}), Source::SelfReport),
        (json!({"agent_state": {"a": "b"}}), Source::SelfReport),
        (json!({"title": "x", "input": "drawn"}), Source::Osc),
        (json!({"screen_not": "x", "silence_ms": 1}), Source::Screen),
        (json!({"tty": {"echo": false}}), Source::Tty),
        (json!({"silence_ms": 1}), Source::Silence),
    ] {
        let condition: Condition = serde_json::from_value(condition).unwrap();
        assert_eq!(condition.source(), source, "{condition:?}");
    }
}
