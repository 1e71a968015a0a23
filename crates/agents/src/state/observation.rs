//! What can be observed of a session at one moment. Plain data: live or from a recording.

use std::sync::Arc;
use std::time::Instant;

use engine::{ChildFacts, ExitStatus, TtyFacts};
use vt::Line;

/// Where the run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunPhase {
    /// About to begin.
    Starting,
    Running,
    /// `None` when the program never ran.
    Ended(Option<ExitStatus>),
}

#[derive(Clone, Debug)]
pub struct Observation<'a> {
    pub phase: RunPhase,
    /// Counts the runs of the session: a new one forgets all evidence.
    pub run: u64,
    /// The last output, or the start where there was none.
    pub last_output: Instant,
    pub facts: &'a ChildFacts,
    /// The visible grid, one row a line.
    pub grid: &'a str,
    /// The same rows with their colours, where a rule asks for them.
    pub rows: Option<&'a [Arc<Line>]>,
    pub alternate_screen: bool,
    /// Of the terminal.
    pub cols: u16,
    pub tty: Option<TtyFacts>,
    /// The latest event of this run.
    pub hook: Option<&'a HookEvent>,
    /// When this run's CLI asked for the list of our tools.
    pub tools_listed: Option<Instant>,
    /// When Enter was pressed for the last prompt that was delivered in this run.
    pub prompt_sent: Option<Instant>,
}

impl Observation<'_> {
    /// Whether the CLI has told anything of itself in this run.
    pub(crate) fn has_reported(&self) -> bool {
        self.hook.is_some() || self.facts.has_reported_status
    }
}

/// What an agent's hook or plugin reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookEvent {
    /// As the vendor calls it, such as `Stop`.
    pub name: String,
    /// One line for people.
    pub detail: String,
    pub at: Instant,
}

impl HookEvent {
    const MAX_NAME: usize = 64;
    const MAX_DETAIL: usize = 200;

    /// Cut and freed of controls: the words come from the agent's side.
    pub fn new(name: &str, detail: &str, at: Instant) -> Self {
        HookEvent { name: one_line(name, Self::MAX_NAME), detail: one_line(detail, Self::MAX_DETAIL), at }
    }
}

/// At most `max` characters of one line, without controls.
pub(crate) fn one_line(text: &str, max: usize) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    line.chars().filter(|character| !character.is_control()).take(max).collect()
}
