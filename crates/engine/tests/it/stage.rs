//! What the tests stand on: an engine, scripted sessions, and waits that give their reason.

use std::time::Duration;

use engine::{
    Engine, EngineLimits, EngineOptions, Error, ExitStatus, FakeClock, Kind, NewSession, Pattern, PatternScope,
    RunEnding, Session, Status, StopRequest, WaitRequest,
};
use testkit::{DEADLINE, Script};
pub(crate) use testkit::{line, soon, until};

pub(crate) const AT_ONCE: StopRequest = StopRequest { signal: None, grace: Some(Duration::ZERO) };

pub(crate) fn options() -> EngineOptions {
    EngineOptions {
        base_env: vec![("PATH".into(), "/usr/bin:/bin".into())],
        // Nothing here waits for a grace to run out unless it says so.
        grace: DEADLINE,
        ..EngineOptions::default()
    }
}

pub(crate) fn with_limits(limits: EngineLimits) -> EngineOptions {
    EngineOptions { limits, ..options() }
}

pub(crate) fn engine() -> Engine {
    Engine::new(options())
}

pub(crate) fn engine_on_fake_time() -> (Engine, FakeClock) {
    let clock = FakeClock::new();
    (Engine::new(EngineOptions { clock: clock.clock(), ..options() }), clock)
}

pub(crate) fn command(script: Script) -> NewSession {
    NewSession::new(Kind::Command, script.argv())
}

pub(crate) fn shell_command(text: &str) -> NewSession {
    NewSession::new(Kind::Command, ["/bin/sh", "-c", text])
}

pub(crate) async fn spawn(engine: &Engine, script: Script) -> Session {
    engine.spawn(command(script)).await.unwrap()
}

pub(crate) fn pattern(text: &str) -> Pattern {
    Pattern::new(text).unwrap()
}

pub(crate) fn wait_for(scope: PatternScope, text: &str, timeout: Duration) -> WaitRequest {
    WaitRequest { pattern: pattern(text), scope, timeout }
}

/// The number that follows `word` in the session's output, as in "pid 17".
pub(crate) async fn number_after(session: &Session, word: &str) -> i32 {
    let line = line(session, &format!("{word} \\d+")).await;
    let (_, rest) = line.split_once(word).unwrap();
    rest.trim().split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
}

pub(crate) async fn exit(session: &Session) -> (Status, Option<ExitStatus>) {
    let ended = session.wait_for_exit(DEADLINE).await;
    let (status, ending) = ended.unwrap_or_else(|| panic!("it does not end:\n{}", session.grid_text().1));
    (status, ending.and_then(|RunEnding { exit, .. }| exit))
}

/// A zombie counts as gone: its parent's business is not ours.
pub(crate) fn is_alive(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.trim_start().starts_with('Z'))
}

pub(crate) async fn gone(pid: i32) {
    until(&format!("process {pid} is gone"), || !is_alive(pid)).await;
}

pub(crate) fn is_not_found(error: &Error) -> bool {
    matches!(error, Error::NotFound { .. })
}

pub(crate) async fn close(engine: Engine) {
    soon("the engine has shut down", engine.shutdown(Duration::ZERO)).await;
}
