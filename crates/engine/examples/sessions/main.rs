//! Figures of the engine: `cargo run --release -p engine --example sessions -- <what>`.
//!
//! drain [MB]        output through a session against a bare reader of the same terminal
//! idle [N]          what N sessions that do nothing cost over 10 seconds
//! spawn [N]         starting N sessions one after the other
//! reads [FLOODS]    reading a quiet session alone, beside FLOODS flooding ones, and a flooding one
//! echo [ROUNDS]     typing a line and waiting for its echo
//! memory [N]        resident memory per session with a full history
//! rate [N]          processor time of N sessions that print 1 MB/s each
//!
//! All use the scripted child of `testkit`. Compare ratios within one run, not figures between machines.
#![allow(clippy::print_stdout, reason = "printing is what it is for")]
#![allow(clippy::unwrap_used, reason = "a measurement that fails is no measurement")]

mod drain;
mod echo;
mod idle;
mod memory;
mod proc;
mod rate;
mod reads;
mod spawn;

use std::time::Duration;

use engine::{Engine, EngineOptions, Kind, NewSession, Pattern, PatternScope, Session, WaitOutcome, WaitRequest};
use testkit::Script;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next().unwrap_or_default();
    let number = arguments.next().map(|text| text.parse::<usize>().unwrap());
    proc::allow_many_files();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        match what.as_str() {
            "drain" => drain::run(number.unwrap_or(200)).await,
            "idle" => idle::run(number.unwrap_or(100)).await,
            "spawn" => spawn::run(number.unwrap_or(100)).await,
            "reads" => reads::run(number.unwrap_or(8)).await,
            "echo" => echo::run(number.unwrap_or(2000)).await,
            "memory" => memory::run(number.unwrap_or(20)).await,
            "rate" => rate::run(number.unwrap_or(10)).await,
            _ => println!("name a measurement: drain, idle, spawn, reads, echo, memory or rate"),
        }
    });
}

fn engine() -> Engine {
    let base_env = vec![("PATH".into(), "/usr/bin:/bin".into())];
    Engine::new(EngineOptions { base_env, ..EngineOptions::default() })
}

fn command(script: Script) -> NewSession {
    NewSession { size: vt::Size::new(120, 40), ..NewSession::new(Kind::Command, script.argv()) }
}

async fn line(session: &Session, text: &str) {
    let pattern = Pattern::new(text).unwrap();
    let request = WaitRequest { pattern, scope: PatternScope::Scrollback, timeout: Duration::from_secs(600) };
    let outcome = session.wait_for_pattern(request).await;
    assert!(matches!(outcome, WaitOutcome::Matched(_)), "{outcome:?}");
}

/// The value below which `share` of the sorted `values` lie.
fn quantile(values: &[Duration], share: f64) -> Duration {
    values[((values.len() - 1) as f64 * share).round() as usize]
}

fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}
