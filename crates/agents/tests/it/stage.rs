//! What the tests of live sessions stand on: an engine on fake time, and small agents written as
//! shell scripts.

use std::path::Path;
use std::time::{Duration, Instant};

use agents::preset::parse_agent;
use agents::state::Behaviour;
use agents::{AgentPreset, StateWatch};
use engine::{Engine, EngineOptions, FakeClock, Input, Kind, NewSession, Origin, Session, StopRequest};
use testkit::DEADLINE;

pub(crate) struct Stage {
    pub(crate) engine: Engine,
    pub(crate) clock: FakeClock,
}

/// `box TEXT` draws a prompt box that holds TEXT, `ask TEXT` a question without a box, `take N`
/// reads N bytes and gives them as hex.
const PRELUDE: &str = r#"
stty raw -echo
box() { printf '\033[H\033[2J--box--\r\n> %s\r\n--end--\r\n' "$1"; }
ask() { printf '\033[H\033[2JALLOW? %s\r\n' "$1"; }
title() { printf '\033]0;%s\007' "$1"; }
take() { dd bs=1 count="$1" 2>/dev/null | od -An -v -tx1 | tr -d ' \n'; }
forever() { take 1 >/dev/null; exit 0; }
"#;

/// Rules for the scripts above. Fake time runs faster than a busy machine's shells: its limits are an
/// hour, which tests let pass on purpose.
pub(crate) const PRESET: &str = r#"{
    "argv": ["sh"],
    "rules": [
        {"name": "question", "when": {"screen": "ALLOW\\? .*", "input": "absent"}, "state": "blocked", "kind": "permission"},
        {"name": "busy title", "when": {"title": "^busy"}, "state": "working"},
        {"name": "hook working", "when": {"hook": "^Work$"}, "state": "working", "until": {"title": "^rest"}},
        {"name": "hook stop", "when": {"hook": "^Stop$"}, "state": "idle"},
        {"name": "prompt box", "when": {"input": "drawn"}, "state": "idle"}
    ],
    "ready_signal": {"when": {"input": "drawn"}, "quiet_ms": 300, "timeout_ms": 3600000},
    "submit": {
        "input_box": "(?m)^--box--\\n> ?(?<text>[^\\n]*)\\n--end--",
        "placeholder": "^Try ",
        "enter_delay_ms": 200,
        "proof": [{"name": "busy title", "when": {"title": "^busy"}}, {"name": "empty box", "when": {"input": "empty"}}],
        "proof_ms": 3600000
    }
}"#;

pub(crate) const AN_HOUR: Duration = Duration::from_secs(3600);

pub(crate) fn stage() -> Stage {
    let clock = FakeClock::new();
    let options = EngineOptions {
        base_env: vec![("PATH".into(), "/usr/bin:/bin".into())],
        clock: clock.clock(),
        ..EngineOptions::default()
    };
    Stage { engine: Engine::new(options), clock }
}

pub(crate) fn preset(text: &str) -> AgentPreset {
    parse_agent(Path::new("test.json"), text).unwrap_or_else(|problem| panic!("{problem}")).preset
}

impl Stage {
    pub(crate) async fn spawn(&self, kind: Kind, script: &str) -> Session {
        let argv = ["/bin/sh", "-c", &format!("{PRELUDE}\n{script}")];
        self.engine.spawn(NewSession::new(kind, argv)).await.unwrap()
    }

    /// A session that runs `script`, watched by the rules of [`PRESET`].
    pub(crate) async fn agent(&self, script: &str) -> StateWatch {
        self.agent_with(script, PRESET).await
    }

    pub(crate) async fn agent_with(&self, script: &str, rules: &str) -> StateWatch {
        let session = self.spawn(Kind::Agent, script).await;
        StateWatch::new(session, Behaviour::from(&preset(rules)))
    }

    /// Lets time pass in small steps until `holds`.
    pub(crate) async fn pass_until(&self, reason: &str, watch: &StateWatch, mut holds: impl FnMut() -> bool) {
        let start = Instant::now();
        while !holds() {
            let session = watch.session();
            assert!(
                start.elapsed() < DEADLINE,
                "waited in vain until {reason}; {:?}, {:?}\n{}",
                watch.current(),
                watch.readiness(),
                session.grid_text().1
            );
            // Ten seconds, the longest time that decides here, are four real ones.
            self.clock.advance(Duration::from_millis(5));
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// Lets `time` pass, and the session react to all of it.
    pub(crate) async fn pass(&self, time: Duration) {
        let step = Duration::from_millis(100);
        for _ in 0..time.as_millis() / step.as_millis() {
            self.clock.advance(step);
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    pub(crate) async fn end(self) {
        self.engine.shutdown(Duration::ZERO).await;
    }
}

/// Types as a caller of `send_input` would.
pub(crate) fn type_by_hand(watch: &StateWatch, text: &str) {
    watch.session().send(Input::Text(text.into()), Origin::System).unwrap();
}

/// Waits until `text` is on the screen. Needs no time to pass.
pub(crate) async fn shows(session: &Session, text: &str) {
    let request = engine::WaitRequest {
        pattern: engine::Pattern::literal(text).unwrap(),
        scope: engine::PatternScope::Grid,
        timeout: Duration::from_secs(1 << 30),
    };
    let waited = tokio::time::timeout(DEADLINE, session.wait_for_pattern(request)).await;
    let matched = matches!(waited, Ok(engine::WaitOutcome::Matched(_)));
    assert!(matched, "'{text}' is not shown:\n{}", session.grid_text().1);
}

pub(crate) const AT_ONCE: StopRequest = StopRequest { signal: None, grace: Some(Duration::ZERO) };
