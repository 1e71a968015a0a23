//! The part of a preset that tells what a session is doing.

use std::collections::BTreeMap;
use std::time::Duration;

use super::decide::Evidence;
use crate::preset::{
    AgentPreset, Condition, DecisionKind, Expression, InputBox, ModeRule, PromptRule, ReadySignal, Region, Rule,
    Submit, Vote,
};

#[derive(Clone, Debug, PartialEq)]
pub struct Behaviour {
    pub regions: BTreeMap<String, Region>,
    pub rules: Vec<Rule>,
    pub modes: Vec<ModeRule>,
    pub prompts: Vec<PromptRule>,
    pub ready_signal: ReadySignal,
    pub submit: Submit,
}

impl Behaviour {
    /// The default for commands and terminals: their own reports (OSC 7501), or else silence is idle, output is working.
    pub fn silence(idle: Duration) -> Self {
        let milliseconds = u64::try_from(idle.as_millis()).unwrap_or(u64::MAX);
        Behaviour {
            regions: BTreeMap::new(),
            rules: report_rules().into_iter().chain(silence_rules(milliseconds, None)).collect(),
            modes: Vec::new(),
            prompts: Vec::new(),
            ready_signal: ReadySignal::default(),
            submit: Submit::default(),
        }
    }

    /// Whether any rule uses the screen or the reports beside it.
    pub(crate) fn looks_at_screen(&self) -> bool {
        self.submit.input_box.is_some() || self.conditions().any(|condition| !needs_no_screen(condition))
    }

    /// Whether anything looks at what the program says of its own work.
    pub(crate) fn looks_at_reports(&self) -> bool {
        self.conditions().any(|condition| !condition.agent_state.is_empty())
    }

    pub(crate) fn looks_at_tty(&self) -> bool {
        self.conditions().any(|condition| condition.tty.is_some())
    }

    /// Whether something on this grid can be told only by colours.
    pub(crate) fn looks_at_colours(&self, grid: &str) -> bool {
        let region = |name: &Option<String>| name.as_ref().and_then(|name| self.regions.get(name));
        let shown =
            |rule: &PromptRule| rule.screen.is_match(region(&rule.region).map_or(grid, |region| region.of(grid)));
        self.prompts.iter().any(|rule| rule.selected_by.is_some() && shown(rule))
    }

    /// Whether the CLI itself reports when it works.
    pub(crate) fn reports_work(&self) -> bool {
        let told = |rule: &Rule| rule.source.unwrap_or_else(|| rule.when.source()) == super::Source::SelfReport;
        self.rules.iter().any(|rule| rule.state == Vote::Working && told(rule))
    }

    /// Whether the report came in the CLI's own output, and is thus in order with it.
    pub(crate) fn is_in_band_report(&self, evidence: &Evidence) -> bool {
        let by_hook = |rule: &Rule| rule.name == evidence.rule && rule.when.hook.is_some();
        evidence.source == super::Source::SelfReport && !self.rules.iter().any(by_hook)
    }

    fn conditions(&self) -> impl Iterator<Item = &Condition> {
        let rules = self.rules.iter().flat_map(|rule| std::iter::once(&rule.when).chain(&rule.until));
        let rules = rules.chain(self.modes.iter().map(|mode| &mode.when));
        rules.chain(&self.ready_signal.when).chain(self.submit.proof.iter().map(|proof| &proof.when))
    }
}

impl From<&AgentPreset> for Behaviour {
    fn from(preset: &AgentPreset) -> Self {
        let rules = if preset.rules.is_empty() {
            // Many agents draw nothing for seconds: a blank screen is not idle.
            let drawn = Expression::new(r"\S").expect("a constant that compiles");
            silence_rules(preset.idle_ms, Some(drawn))
        } else {
            let mut rules = preset.rules.clone();
            if preset.submit.input_box.is_some() {
                rules.iter_mut().for_each(end_with_the_prompt_box);
            }
            rules
        };
        Behaviour {
            regions: preset.regions.clone(),
            rules,
            modes: preset.modes.clone(),
            prompts: preset.prompts.clone(),
            ready_signal: preset.ready_signal.clone(),
            submit: preset.submit.clone(),
        }
    }
}

/// A hook reports that the CLI asks, and nothing reports that the question was dismissed, except the prompt box.
fn end_with_the_prompt_box(rule: &mut Rule) {
    if rule.state == Vote::Blocked && rule.when.hook.is_some() && rule.until.is_none() {
        rule.until = Some(Condition { input: Some(InputBox::Drawn), ..Condition::default() });
    }
}

/// Nothing in it needs the screen.
fn needs_no_screen(condition: &Condition) -> bool {
    let rest =
        Condition { silence_ms: None, output_within_ms: None, agent_state: BTreeMap::new(), ..condition.clone() };
    rest == Condition::default()
}

/// For programs that no preset knows.
fn report_rules() -> Vec<Rule> {
    let rule = |states: &str, state, kind: Option<DecisionKind>| {
        let wanted = Expression::new(&format!("^(?:{states})$")).expect("a constant that compiles");
        Rule {
            name: format!("it reports: {}", states.replace('|', ", ")),
            when: Condition { agent_state: BTreeMap::from([("state".into(), wanted)]), ..Condition::default() },
            state,
            kind,
            source: None,
            hold_ms: 0,
            linger_ms: None,
            lasts_ms: None,
            until: None,
        }
    };
    vec![
        rule("blocked", Vote::Blocked, Some(DecisionKind::Question)),
        rule("working", Vote::Working, None),
        rule("idle|done|error", Vote::Idle, None),
    ]
}

fn silence_rules(milliseconds: u64, drawn: Option<Expression>) -> Vec<Rule> {
    let rule = |name: &str, when: Condition, state| Rule {
        name: name.into(),
        when,
        state,
        kind: None,
        source: Some(super::Source::Silence),
        hold_ms: 0,
        linger_ms: Some(0),
        lasts_ms: None,
        until: None,
    };
    let silent = Condition { silence_ms: Some(milliseconds), screen: drawn.clone(), ..Condition::default() };
    let busy = Condition { output_within_ms: Some(milliseconds), screen: drawn, ..Condition::default() };
    vec![rule("no output", silent, Vote::Idle), rule("output", busy, Vote::Working)]
}
