//! What can be observed of a session at one moment, as plain data: live or from a recording.

use std::sync::Arc;
use std::time::Instant;

use engine::{ChildFacts, ExitStatus, TtyFacts};
use vt::Line;

/// The run's lifecycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunPhase {
    /// About to start.
    Starting,
    Running,
    /// `None` if the program never ran.
    Ended(Option<ExitStatus>),
}

#[derive(Clone, Debug)]
pub struct Observation<'a> {
    pub phase: RunPhase,
    /// The run's number: a new run drops all evidence.
    pub run: u64,
    /// The time of the last output, or of the start if there was none.
    pub last_output: Instant,
    pub facts: &'a ChildFacts,
    /// The visible grid, one row a line.
    pub grid: &'a str,
    /// The same rows with their colours, if a rule needs them.
    pub rows: Option<&'a [Arc<Line>]>,
    pub alternate_screen: bool,
    /// Of the terminal.
    pub cols: u16,
    pub tty: Option<TtyFacts>,
    /// The latest event of this run.
    pub hook: Option<&'a HookEvent>,
    /// When this run's CLI asked for the list of our tools.
    pub tools_listed: Option<Instant>,
    /// When Enter was pressed for the last prompt delivered in this run.
    pub prompt_sent: Option<Instant>,
}

impl Observation<'_> {
    /// Whether the CLI has reported anything about itself in this run.
    pub(crate) fn has_reported(&self) -> bool {
        self.hook.is_some() || self.facts.has_reported_status
    }
}

/// An event reported by an agent's hook or plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookEvent {
    /// The vendor's name for it, such as `Stop`.
    pub name: String,
    /// One line for people.
    pub detail: String,
    /// What the agent is about to do, as its CLI has it: lines and all. Kept from earlier events until another one tells.
    pub command: Option<Arc<str>>,
    pub at: Instant,
}

impl HookEvent {
    const MAX_NAME: usize = 64;
    const MAX_DETAIL: usize = 200;
    const MAX_COMMAND: usize = 4 << 10;

    /// Cut, and without control characters: the text comes from the agent's side.
    pub fn new(name: &str, detail: &str, at: Instant) -> Self {
        let (name, detail) = (one_line(name, Self::MAX_NAME), one_line(detail, Self::MAX_DETAIL));
        HookEvent { name, detail, command: None, at }
    }

    /// One that is longer is left out: half of it would be another command.
    pub fn with_command(self, command: Option<&str>) -> Self {
        let command = command.filter(|command| command.len() <= Self::MAX_COMMAND);
        HookEvent { command: command.map(Arc::from).or(self.command), ..self }
    }
}

/// At most `max` characters of one line, without control characters.
pub(crate) fn one_line(text: &str, max: usize) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    line.chars().filter(|character| !character.is_control()).take(max).collect()
}
