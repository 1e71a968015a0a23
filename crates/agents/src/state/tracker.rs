//! The memory between two looks at a session: since when each rule holds, and whether the agent was ready.
//!
//! Deterministic: the same observations at the same times give the same looks.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::behaviour::Behaviour;
use super::decide::{Decision, Evidence, Weight, decide, overrule_reports, pending};
use super::matching::{ConditionAnswer, InputText, Matcher, earliest};
use super::observation::{Observation, RunPhase};
use super::prompt::Prompt;
use super::vocabulary::{Source, State};
use crate::preset::{DecisionKind, ReadySignal, Rule, Vote};

/// A screen is drawn in parts; a shorter absence does not count.
const SCREEN_LINGERS: Duration = Duration::from_millis(150);

/// Some agents never stop repainting: a ready sign that was visible for this long needs no quiet.
const READY_WITHOUT_QUIET: Duration = Duration::from_secs(3);

const DEFAULT_QUIET_MS: u64 = 300;
/// How long a prompt that was sent counts as work without newer evidence, for CLIs that report the beginning of a turn
/// (for others, `submit.begin_ms`). Opencode took 9 s to report on a machine with five times its capacity of work;
/// meanwhile its prompt box was empty and at rest.
const REPORTED_PROMPT_COUNTS: Duration = Duration::from_secs(30);

/// How long contradicting evidence must hold if it held before the evidence came: programs report first and draw later.
const UNTIL_COUNTS: Duration = Duration::from_secs(2);

/// For sessions with no sign but silence.
const FALLBACK_QUIET_MS: u64 = 1000;

#[derive(Clone, Debug)]
pub struct Tracker {
    behaviour: Arc<Behaviour>,
    run: Option<TrackedRun>,
}

#[derive(Clone, Debug)]
struct TrackedRun {
    number: u64,
    began: Instant,
    rules: Vec<RuleMemory>,
    known: LastKnown,
    /// When evidence last showed it working.
    worked: Option<Instant>,
    ready: bool,
    ready_sign_since: Option<Instant>,
    mode: Option<String>,
}

/// What was known of the run a moment ago.
#[derive(Clone, Debug, Default)]
enum LastKnown {
    /// It has not shown anything yet.
    #[default]
    Nothing,
    Evidence(Evidence),
    /// It has, but shows nothing recognisable now.
    Lost,
}

/// The memory of one rule.
#[derive(Clone, Debug, Default)]
struct RuleMemory {
    /// Short gaps don't count.
    held_since: Option<Instant>,
    counted: bool,
    /// It has stopped holding, and counts until then.
    lingers_until: Option<Instant>,
    detail: String,
    until_since: Option<Instant>,
    /// Evidence given at this time is permanently stale.
    spent: Option<Instant>,
}

/// The result of a look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateLook {
    pub state: State,
    /// The deciding rule, now or, while newer evidence matures, a moment ago.
    pub because: Option<Evidence>,
    pub decision: Decision,
    /// One for each rule, in order.
    pub evidence: Vec<Evidence>,
    pub readiness: Readiness,
    pub input: InputText,
    /// A decision is pending: nothing may be typed but an answer.
    pub pending: Option<PendingDecision>,
    /// The question, if it can be read.
    pub prompt: Option<Prompt>,
    /// The CLI's own mode, if the preset can tell.
    pub mode: Option<String>,
    /// When the result may change without any event.
    pub look_again: Option<Instant>,
}

/// What prevents prompts from being typed until someone decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingDecision {
    /// `None` if the preset does not say.
    pub kind: Option<DecisionKind>,
    /// One line for people.
    pub detail: String,
}

/// Whether a first prompt may be typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Readiness {
    /// Permanent within this run, once reached.
    pub ready: bool,
    /// What is missing, one short phrase each.
    pub missing: Vec<&'static str>,
}

impl Tracker {
    pub fn new(behaviour: Arc<Behaviour>) -> Self {
        Tracker { behaviour, run: None }
    }

    pub fn behaviour(&self) -> &Arc<Behaviour> {
        &self.behaviour
    }

    /// Looks at the session at the time `now`. Times must not run backwards.
    pub fn look(&mut self, observation: &Observation<'_>, now: Instant) -> StateLook {
        let behaviour = self.behaviour.clone();
        if observation.phase == RunPhase::Starting {
            // The present screen was drawn by the previous run.
            self.run = None;
            return not_yet(&behaviour);
        }
        let run = match &mut self.run {
            Some(run) if run.number == observation.run => run,
            other => other.insert(TrackedRun::new(observation.run, &behaviour, now)),
        };
        let matcher = Matcher::new(observation, &behaviour, now);
        let mut look_again = None;
        let mut evidence = Vec::with_capacity(behaviour.rules.len());
        for (rule, memory) in behaviour.rules.iter().zip(&mut run.rules) {
            evidence.push(memory.weigh(rule, &matcher, now, &mut look_again));
        }
        let reported = |index: usize| !behaviour.rules[index].when.agent_state.is_empty();
        look_again = earliest(look_again, overrule_reports(&mut evidence, reported, now));
        let decision = decide(&evidence);
        let start_limit = run.began.checked_add(Duration::from_millis(behaviour.ready_signal.timeout_ms));
        let (state, because) = run.settle(decision, &evidence, start_limit.is_none_or(|limit| now < limit));
        if state == State::Starting {
            look_again = earliest(look_again, start_limit.filter(|limit| *limit > now));
        }
        if state == State::Working {
            run.worked = Some(now);
        }
        let (state, because) = match run.sent_prompt(observation, &behaviour, state, because.as_ref(), now) {
            Some(until) => {
                look_again = earliest(look_again, Some(until));
                (State::Working, Some(prompt_was_sent()))
            }
            None => (state, because),
        };
        let (state, because) = match observation.phase {
            RunPhase::Ended(_) => (State::Exited, None),
            RunPhase::Running | RunPhase::Starting => (state, because),
        };
        let blocked = state == State::Blocked;
        let readiness = run.readiness(&behaviour.ready_signal, blocked, &matcher, now, &mut look_again);
        let asks = pending(&evidence, decision).filter(|_| observation.phase == RunPhase::Running);
        let prompt = asks.and_then(|_| matcher.prompt());
        let pending = asks.map(|asks| PendingDecision {
            kind: prompt.as_ref().map(|prompt| prompt.kind).or(asks.kind),
            detail: asks.detail.clone(),
        });
        let input = matcher.input().clone();
        run.note_mode(&behaviour, &matcher);
        let mode = run.mode.clone();
        StateLook { state, because, decision, evidence, readiness, input, pending, prompt, mode, look_again }
    }
}

fn prompt_was_sent() -> Evidence {
    Evidence {
        rule: "a prompt was sent".into(),
        source: Source::Process,
        vote: Vote::Working,
        kind: None,
        detail: "a prompt was sent, and nothing newer shows what it does".into(),
        weight: Weight::Lingers,
    }
}

/// The look at a session that is being started.
fn not_yet(behaviour: &Behaviour) -> StateLook {
    let absent = |rule: &Rule| Evidence {
        rule: rule.name.clone(),
        source: rule.source.unwrap_or_else(|| rule.when.source()),
        vote: rule.state,
        kind: rule.kind,
        detail: String::new(),
        weight: Weight::Absent,
    };
    StateLook {
        state: State::Starting,
        because: None,
        decision: Decision::Silent,
        evidence: behaviour.rules.iter().map(absent).collect(),
        readiness: Readiness { ready: false, missing: vec!["it does not run"] },
        input: InputText::Absent,
        pending: None,
        prompt: None,
        mode: None,
        look_again: None,
    }
}

impl TrackedRun {
    fn new(number: u64, behaviour: &Behaviour, now: Instant) -> Self {
        let rules = vec![RuleMemory::default(); behaviour.rules.len()];
        TrackedRun {
            number,
            began: now,
            rules,
            known: LastKnown::Nothing,
            worked: None,
            ready: false,
            ready_sign_since: None,
            mode: None,
        }
    }

    /// `early`: it may still be starting.
    fn settle(&mut self, decision: Decision, evidence: &[Evidence], early: bool) -> (State, Option<Evidence>) {
        self.known = match (decision, std::mem::take(&mut self.known)) {
            (Decision::Counts(index), _) => LastKnown::Evidence(evidence[index].clone()),
            // The first evidence counts immediately: there is nothing that it could contradict.
            (Decision::Matures(index), LastKnown::Nothing) => LastKnown::Evidence(evidence[index].clone()),
            (Decision::Matures(_), known) => known,
            (Decision::Silent, LastKnown::Nothing) if early => LastKnown::Nothing,
            (Decision::Silent, _) => LastKnown::Lost,
        };
        match &self.known {
            LastKnown::Nothing => (State::Starting, None),
            LastKnown::Evidence(known) => (known.vote.into(), Some(known.clone())),
            LastKnown::Lost => (State::Unknown, None),
        }
    }

    /// A dialog may hide the sign of a mode; a prompt box without a sign means that no mode is on.
    fn note_mode(&mut self, behaviour: &Behaviour, matcher: &Matcher<'_>) {
        let seen = behaviour.modes.iter().find(|mode| matcher.ask(&mode.when).holds.is_some());
        if let Some(seen) = seen {
            self.mode = Some(seen.name.clone());
        } else if *matcher.input() != InputText::Absent {
            self.mode = None;
        }
    }

    /// Until when a prompt that was sent outweighs an older idle.
    fn sent_prompt(
        &self,
        observation: &Observation<'_>,
        behaviour: &Behaviour,
        state: State,
        because: Option<&Evidence>,
        now: Instant,
    ) -> Option<Instant> {
        let sent = observation.prompt_sent.filter(|_| state == State::Idle)?;
        let newer = because.is_some_and(|because| matches!(because.weight, Weight::Holds { since } if since > sent));
        let (counts, begun) = if behaviour.reports_work() && observation.has_reported() {
            // A redraw of the screen says nothing about the turn, and a hook event may be late by a turn.
            let told = newer && because.is_some_and(|because| behaviour.is_in_band_report(because));
            (REPORTED_PROMPT_COUNTS, told || self.worked.is_some_and(|worked| worked > sent))
        } else {
            (Duration::from_millis(behaviour.submit.begin_ms), newer)
        };
        sent.checked_add(counts).filter(|until| !begun && *until > now)
    }

    fn readiness(
        &mut self,
        signal: &ReadySignal,
        blocked: bool,
        matcher: &Matcher<'_>,
        now: Instant,
        look_again: &mut Option<Instant>,
    ) -> Readiness {
        let observation = matcher.observation;
        let mut missing = Vec::new();
        if observation.phase != RunPhase::Running {
            missing.push("it does not run");
        }
        if signal.tools_listed && observation.tools_listed.is_none() {
            missing.push("it has not asked for patterm's tools");
        }
        let answer = signal.when.as_ref().map(|when| matcher.ask(when));
        if answer.as_ref().is_some_and(|answer| answer.holds.is_none()) {
            missing.push("its prompt is not there");
        }
        if blocked {
            missing.push("a prompt or dialog is up");
        }
        if !missing.is_empty() {
            self.ready_sign_since = None;
            *look_again = earliest(*look_again, answer.and_then(|answer| answer.look_again));
        } else {
            let since = *self.ready_sign_since.get_or_insert(now);
            let only_silence = signal.when.is_none() && !signal.tools_listed;
            let default = if only_silence { FALLBACK_QUIET_MS } else { DEFAULT_QUIET_MS };
            let quiet = Duration::from_millis(signal.quiet_ms.unwrap_or(default));
            let quiet_at = observation.last_output.max(since).checked_add(quiet);
            let enough_at = if only_silence { None } else { since.checked_add(READY_WITHOUT_QUIET.max(quiet)) };
            let due = earliest(quiet_at, enough_at);
            if due.is_none_or(|due| due > now) {
                missing.push("it has not come to rest");
                *look_again = earliest(*look_again, due);
            }
        }
        self.ready |= missing.is_empty();
        Readiness { ready: self.ready, missing }
    }
}

impl RuleMemory {
    fn weigh(
        &mut self,
        rule: &Rule,
        matcher: &Matcher<'_>,
        now: Instant,
        look_again: &mut Option<Instant>,
    ) -> Evidence {
        let source = rule.source.unwrap_or_else(|| rule.when.source());
        let ConditionAnswer { holds, look_again: turns } = matcher.ask(&rule.when);
        let mut again = |at: Option<Instant>| *look_again = earliest(*look_again, at);
        again(turns);
        let contradicted = self.contradicted(rule, matcher, now, &mut again);
        let weight = match holds {
            Some(found) => {
                let since = *self.held_since.get_or_insert(now);
                self.detail = found.detail;
                self.lingers_until = None;
                let given = found.given.unwrap_or(since);
                let weight = self.weigh_held(rule, HeldEvidence { since, given, contradicted }, now, &mut again);
                self.counted = matches!(weight, Weight::Holds { .. });
                weight
            }
            None => self.weigh_gone(rule, source, now, &mut again),
        };
        let detail = if weight == Weight::Absent { String::new() } else { self.detail.clone() };
        Evidence { rule: rule.name.clone(), source, vote: rule.state, kind: rule.kind, detail, weight }
    }

    /// Since when something contradicts this rule.
    fn contradicted(
        &mut self,
        rule: &Rule,
        matcher: &Matcher<'_>,
        now: Instant,
        again: &mut impl FnMut(Option<Instant>),
    ) -> Option<Instant> {
        let ConditionAnswer { holds, look_again } = matcher.ask(rule.until.as_ref()?);
        again(look_again);
        let Some(found) = holds else {
            self.until_since = None;
            return None;
        };
        let since = *self.until_since.get_or_insert(now);
        Some(found.given.unwrap_or(since))
    }

    fn weigh_held(
        &mut self,
        rule: &Rule,
        held: HeldEvidence,
        now: Instant,
        again: &mut impl FnMut(Option<Instant>),
    ) -> Weight {
        let HeldEvidence { since, given, contradicted } = held;
        if let Some(at) = contradicted {
            // A hook event may be late: what held before it, and still holds a while later, contradicts it too.
            let enough = given.checked_add(UNTIL_COUNTS);
            if at > given || enough.is_some_and(|enough| enough <= now) {
                self.spent = Some(given);
            } else {
                again(enough);
            }
        }
        let expires = rule.lasts_ms.and_then(|lasts| after(given, lasts));
        if self.spent == Some(given) || expires.is_some_and(|at| at <= now) {
            return Weight::Stale;
        }
        again(expires);
        let counts_at = after(since, rule.hold_ms);
        if counts_at.is_none_or(|at| at > now) {
            again(counts_at);
            return Weight::TooYoung;
        }
        Weight::Holds { since: given }
    }

    fn weigh_gone(
        &mut self,
        rule: &Rule,
        source: Source,
        now: Instant,
        again: &mut impl FnMut(Option<Instant>),
    ) -> Weight {
        if std::mem::take(&mut self.counted) {
            let linger = match (rule.linger_ms, source) {
                (Some(milliseconds), _) => Duration::from_millis(milliseconds),
                (None, Source::Screen) => SCREEN_LINGERS,
                (None, _) => Duration::ZERO,
            };
            self.lingers_until = now.checked_add(linger);
        }
        if self.lingers_until.is_some_and(|until| until > now) {
            again(self.lingers_until);
            return Weight::Lingers;
        }
        self.lingers_until = None;
        self.held_since = None;
        Weight::Absent
    }
}

struct HeldEvidence {
    since: Instant,
    given: Instant,
    contradicted: Option<Instant>,
}

fn after(at: Instant, milliseconds: u64) -> Option<Instant> {
    at.checked_add(Duration::from_millis(milliseconds))
}

#[cfg(test)]
mod tests;
