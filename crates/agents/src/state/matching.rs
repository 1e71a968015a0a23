//! Whether a condition holds for an observation, since when by the facts' own times, and a description.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::time::{Duration, Instant};

use engine::SeenValue;
use vt::{ProgressReport, StatusRecord};

use super::behaviour::Behaviour;
use super::observation::{HookEvent, Observation, one_line};
use super::vocabulary::Source;
use crate::preset::{Condition, Expression, InputBox, ProgressKind, TtyMatch};

/// Maximum characters of a detail.
const MAX_DETAIL: usize = 120;

/// The content of the prompt box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputText {
    /// The box is not visible, or the preset does not describe it.
    Absent,
    Empty,
    Text(String),
}

/// An observation, prepared for evaluating conditions.
pub(crate) struct Matcher<'a> {
    pub(crate) observation: &'a Observation<'a>,
    behaviour: &'a Behaviour,
    now: Instant,
    input: OnceCell<InputText>,
}

#[derive(Clone, Debug)]
pub(crate) struct ConditionMatch {
    /// The latest time of a fact in it; `None` if it uses only the screen or silence.
    pub(crate) given: Option<Instant>,
    pub(crate) detail: String,
}

/// Whether a condition holds, and when time alone may change that.
#[derive(Clone, Debug)]
pub(crate) struct ConditionAnswer {
    pub(crate) holds: Option<ConditionMatch>,
    pub(crate) look_again: Option<Instant>,
}

impl<'a> Matcher<'a> {
    pub(crate) fn new(observation: &'a Observation<'a>, behaviour: &'a Behaviour, now: Instant) -> Self {
        Matcher { observation, behaviour, now, input: OnceCell::new() }
    }

    pub(crate) fn behaviour(&self) -> &'a Behaviour {
        self.behaviour
    }

    /// The region's part of the grid; nothing if the region is absent.
    pub(crate) fn region_text(&self, name: Option<&str>) -> &'a str {
        match name {
            Some(name) => self.behaviour.regions.get(name).map_or("", |region| region.of(self.observation.grid)),
            None => self.observation.grid,
        }
    }

    pub(crate) fn input(&self) -> &InputText {
        self.input.get_or_init(|| read_input(self.behaviour, self.observation.grid))
    }

    pub(crate) fn ask(&self, condition: &Condition) -> ConditionAnswer {
        let mut clauses = Clauses { given: None, detail: None };
        let facts_hold = self.beside_the_screen(condition, &mut clauses) && self.on_the_screen(condition, &mut clauses);
        let (time_holds, look_again) = self.time(condition);
        // Stays the same while the condition holds: a changing detail would wake every waiter.
        let silent = || match (condition.silence_ms, condition.output_within_ms) {
            (Some(milliseconds), _) => format!("no output for {milliseconds} ms"),
            (None, Some(milliseconds)) => format!("output within {milliseconds} ms"),
            (None, None) => "always".into(),
        };
        let holds = (facts_hold && time_holds)
            .then(|| ConditionMatch { given: clauses.given, detail: clauses.detail.unwrap_or_else(silent) });
        ConditionAnswer { holds, look_again: look_again.filter(|_| facts_hold) }
    }

    fn beside_the_screen(&self, condition: &Condition, clauses: &mut Clauses) -> bool {
        let facts = self.observation.facts;
        let title = facts.title.as_ref();
        let title_text = title.map_or("", |title| title.value.as_str());
        let title_holds = condition.title.as_ref().is_none_or(|wanted| title.is_some() && wanted.is_match(title_text));
        let title_allowed = condition.title_not.as_ref().is_none_or(|unwanted| !unwanted.is_match(title_text));
        if !title_holds || !title_allowed {
            return false;
        }
        if condition.title.is_some() {
            clauses.fact(title.map(|title| title.at), || format!("title '{title_text}'"));
        }
        if !condition.progress.is_empty() {
            let kind = progress_kind(facts.progress.as_ref().map(|progress| progress.value));
            if !condition.progress.contains(&kind) {
                return false;
            }
            clauses.fact(facts.progress.as_ref().map(|progress| progress.at), || format!("progress {kind:?}"));
        }
        if !condition.agent_state.is_empty() {
            let Some(SeenValue { value: record, at, .. }) = facts.leading_record() else { return false };
            let said = |key: &str| reported(record, key);
            if !condition.agent_state.iter().all(|(key, wanted)| said(key).is_some_and(|value| wanted.is_match(&value)))
            {
                return false;
            }
            let pair = |key| said(key).map(|value| format!("{key}={value}"));
            let words =
                || ["state", "app", "kind", "id", "msg"].into_iter().filter_map(pair).collect::<Vec<_>>().join(" ");
            clauses.fact(Some(*at), || format!("it reports {}", words()));
        }
        if let Some(wanted) = &condition.osc {
            let found = facts.unknown_osc.iter().find(|(number, _)| *number == wanted.number);
            let Some((number, body)) = found.filter(|(_, body)| wanted.body.is_match(&body.value)) else {
                return false;
            };
            clauses.fact(Some(body.at), || format!("OSC {number} {}", body.value));
        }
        if let Some(wanted) = &condition.notification {
            let matches = |seen: &&SeenValue<vt::DesktopNotification>| {
                wanted.is_match(&seen.value.title) || wanted.is_match(&seen.value.body)
            };
            let Some(seen) = facts.notification.as_ref().filter(matches) else { return false };
            clauses.fact(Some(seen.at), || format!("notification '{} {}'", seen.value.title, seen.value.body));
        }
        if condition.hook.is_some() || condition.hook_detail.is_some() {
            let matches =
                |wanted: &Option<Expression>, text: &str| wanted.as_ref().is_none_or(|wanted| wanted.is_match(text));
            let wanted = |hook: &&HookEvent| {
                matches(&condition.hook, &hook.name) && matches(&condition.hook_detail, &hook.detail)
            };
            let Some(hook) = self.observation.hook.filter(wanted) else { return false };
            clauses.fact(Some(hook.at), || format!("hook {} {}", hook.name, hook.detail));
        }
        true
    }

    fn on_the_screen(&self, condition: &Condition, clauses: &mut Clauses) -> bool {
        if condition.alternate_screen.is_some_and(|wanted| wanted != self.observation.alternate_screen) {
            return false;
        }
        if condition.screen.is_some() || condition.screen_not.is_some() {
            let text = self.region_text(condition.region.as_deref());
            if condition.screen_not.as_ref().is_some_and(|unwanted| unwanted.is_match(text)) {
                return false;
            }
            if let Some(wanted) = &condition.screen {
                let Some(found) = wanted.pattern().regex().find(text) else { return false };
                clauses.say(|| format!("the screen shows '{}'", one_line(found.as_str(), MAX_DETAIL)));
            }
        }
        if let Some(wanted) = condition.input {
            let holds = match (wanted, self.input()) {
                (InputBox::Empty, InputText::Empty)
                | (InputBox::Text, InputText::Text(_))
                | (InputBox::Drawn, InputText::Empty | InputText::Text(_))
                | (InputBox::Absent, InputText::Absent) => true,
                (InputBox::Empty | InputBox::Text | InputBox::Drawn | InputBox::Absent, _) => false,
            };
            if !holds {
                return false;
            }
            clauses.say(|| match wanted {
                InputBox::Empty => "the prompt box is empty".into(),
                InputBox::Text => "the prompt box holds text".into(),
                InputBox::Drawn => "the prompt box is drawn".into(),
                InputBox::Absent => "there is no prompt box".into(),
            });
        }
        if let Some(TtyMatch { canonical, echo }) = condition.tty {
            let Some(tty) = self.observation.tty else { return false };
            if canonical.is_some_and(|wanted| wanted != tty.canonical) || echo.is_some_and(|wanted| wanted != tty.echo)
            {
                return false;
            }
            clauses.say(|| format!("terminal: canonical {}, echo {}", tty.canonical, tty.echo));
        }
        true
    }

    /// Whether the clauses about time hold, and when the result changes if nothing else happens.
    fn time(&self, condition: &Condition) -> (bool, Option<Instant>) {
        let last = self.observation.last_output;
        let due = |milliseconds: u64| last.checked_add(Duration::from_millis(milliseconds));
        let (mut holds, mut look_again) = (true, None);
        if let Some(milliseconds) = condition.silence_ms {
            let due = due(milliseconds);
            let reached = due.is_some_and(|due| due <= self.now);
            holds &= reached;
            look_again = due.filter(|_| !reached);
        }
        if let Some(milliseconds) = condition.output_within_ms {
            let due = due(milliseconds);
            let within = due.is_none_or(|due| due > self.now);
            holds &= within;
            if within {
                look_again = earliest(look_again, due);
            }
        }
        (holds, look_again)
    }
}

/// The combined result of a condition's clauses.
struct Clauses {
    given: Option<Instant>,
    /// Described by the first clause.
    detail: Option<String>,
}

impl Clauses {
    fn fact(&mut self, at: Option<Instant>, words: impl FnOnce() -> String) {
        self.given = self.given.max(at);
        self.say(words);
    }

    fn say(&mut self, words: impl FnOnce() -> String) {
        if self.detail.is_none() {
            self.detail = Some(one_line(&words(), MAX_DETAIL));
        }
    }
}

pub(crate) fn earliest(one: Option<Instant>, other: Option<Instant>) -> Option<Instant> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

/// What a record of OSC 7501 says under one of the protocol's keys.
fn reported<'a>(record: &'a StatusRecord, key: &str) -> Option<Cow<'a, str>> {
    let text = |text: &'a Option<String>| text.as_deref().map(Cow::Borrowed);
    match key {
        "state" => Some(Cow::Borrowed(record.state.as_str())),
        "id" => Some(record.id.as_str()).filter(|id| !id.is_empty()).map(Cow::Borrowed),
        "kind" => record.kind.map(|kind| Cow::Borrowed(kind.as_str())),
        "progress" => record.progress.map(|percent| Cow::Owned(percent.to_string())),
        "app" => text(&record.app),
        "title" => text(&record.title),
        "msg" => text(&record.msg),
        _ => None,
    }
}

fn progress_kind(progress: Option<ProgressReport>) -> ProgressKind {
    match progress {
        None | Some(ProgressReport::Clear) => ProgressKind::Clear,
        Some(ProgressReport::Percent(_)) => ProgressKind::Percent,
        Some(ProgressReport::Error(_)) => ProgressKind::Error,
        Some(ProgressReport::Indeterminate) => ProgressKind::Indeterminate,
        Some(ProgressReport::Paused(_)) => ProgressKind::Paused,
    }
}

/// The last match counts: earlier ones are part of the conversation.
fn read_input(behaviour: &Behaviour, grid: &str) -> InputText {
    let Some(input_box) = &behaviour.submit.input_box else { return InputText::Absent };
    let Some(found) = input_box.pattern().regex().captures_iter(grid).last() else { return InputText::Absent };
    let text = found.name("text").map_or_else(String::new, |text| without_frame(text.as_str()));
    let nobody_typed = |placeholder: &crate::preset::Expression| placeholder.is_match(&text);
    if text.is_empty() || behaviour.submit.placeholder.as_ref().is_some_and(nobody_typed) {
        return InputText::Empty;
    }
    InputText::Text(text)
}

/// The text alone, without the bars that some prompt boxes draw beside it.
fn without_frame(text: &str) -> String {
    let bar = |character: char| character.is_whitespace() || matches!(character, '│' | '┃' | '▏' | '▕');
    text.lines().map(|line| line.trim_matches(bar)).collect::<Vec<_>>().join("\n").trim().to_owned()
}

impl Condition {
    /// The strongest kind of evidence in it.
    pub(crate) fn source(&self) -> Source {
        if !self.agent_state.is_empty() || self.hook.is_some() || self.hook_detail.is_some() {
            Source::SelfReport
        } else if self.title.is_some()
            || self.title_not.is_some()
            || !self.progress.is_empty()
            || self.osc.is_some()
            || self.notification.is_some()
        {
            Source::Osc
        } else if self.screen.is_some() || self.screen_not.is_some() || self.input.is_some() {
            Source::Screen
        } else if self.tty.is_some() || self.alternate_screen.is_some() {
            Source::Tty
        } else {
            Source::Silence
        }
    }
}

#[cfg(test)]
mod tests;
