//! The look of each CLI: everything that is specific to a vendor. Drawn after recordings of the versions in
//! [`AgentMake::version`](crate::make::AgentMake); model names are our own, so that nobody mistakes a fake for the real
//! one.
//!
//! A costume is a set of pure functions from a [`Scene`] and the time to lines, titles and reports.

mod claude;
mod codex;
mod opencode;

use std::time::{Duration, Instant};

use crate::draft::PasteRule;
use crate::line::PaintedLine;
use crate::make::AgentMake;
use crate::painter::PaintedRows;
use crate::scene::{ChoiceDialog, QuestionAnswer, QuestionSubject, Scene, SceneEntry};

pub(crate) trait Costume {
    /// Modes and queries, before anything is drawn.
    fn hello(&self) -> String;
    /// Resets the modes, and prints the final lines.
    fn farewell(&self) -> String;
    /// Whether frames are wrapped in synchronized updates.
    fn synchronizes(&self) -> bool;
    fn title(&self, scene: &Scene, now: Instant) -> String;
    /// The CLI's report of its own state, in its own sequences. Sent when it has changed.
    fn report(&self, scene: &Scene) -> String;
    /// The lines above the conversation.
    fn header(&self, scene: &Scene) -> Vec<PaintedLine>;
    fn entry(&self, entry: &SceneEntry, scene: &Scene) -> Vec<PaintedLine>;
    /// Everything below the conversation.
    fn bottom(&self, scene: &Scene, now: Instant) -> PaintedRows;
    /// The whole alternate screen; `None` for CLIs that draw on the main screen. `conversation` is what the other
    /// functions returned.
    fn page(&self, scene: &Scene, conversation: &[PaintedLine], now: Instant) -> Option<PaintedRows>;
    /// The interval of redraws without any event, if there is one.
    fn frame_time(&self, scene: &Scene) -> Option<Duration>;
    fn paste_rule(&self) -> PasteRule;
    /// The meaning of each choice of a permission prompt, in display order.
    fn answers(&self, about: &QuestionSubject) -> Vec<QuestionAnswer>;
    fn manners(&self) -> KeyManners;
    /// The effect of a letter at a permission prompt.
    fn shortcut(&self, c: char) -> Option<PromptShortcut>;
    /// One of the vendor's own dialogs.
    fn dialog(&self, kind: &str, scene: &Scene) -> Option<ChoiceDialog>;
    /// A desktop notification.
    fn notification(&self, text: &str) -> String;
}

/// How the CLI handles keys, where the CLIs differ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyManners {
    /// Enter right after many typed characters is a line break, not a submission.
    pub(crate) typed_burst_is_a_paste: bool,
    /// Enter right after a large paste does nothing.
    pub(crate) loses_enter_after_large_paste: bool,
    pub(crate) escapes_to_interrupt: u8,
    /// The effect of Ctrl-C with an empty box.
    pub(crate) interrupts_to_leave: u8,
}

impl Default for KeyManners {
    fn default() -> Self {
        KeyManners {
            typed_burst_is_a_paste: false,
            loses_enter_after_large_paste: false,
            escapes_to_interrupt: 1,
            interrupts_to_leave: 1,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PromptShortcut {
    Answer(QuestionAnswer),
    Back,
    Forward,
}

/// Details of the environment that change the look.
#[derive(Clone, Debug)]
pub(crate) struct CostumeFitting {
    pub(crate) make: AgentMake,
    pub(crate) alternate_screen: bool,
    /// `TERM_PROGRAM` names a terminal for which claude uses extra features.
    pub(crate) known_terminal: bool,
}

pub(crate) fn costume(fitting: CostumeFitting) -> Box<dyn Costume> {
    match fitting.make {
        AgentMake::Claude => Box::new(claude::ClaudeCostume { known_terminal: fitting.known_terminal }),
        AgentMake::Codex => Box::new(codex::CodexCostume { alternate_screen: fitting.alternate_screen }),
        AgentMake::Opencode => Box::new(opencode::OpencodeCostume),
    }
}

/// `text` in rows after a marker; continuation rows have the same indent.
fn marked(mark: &str, text: &str, cols: usize, line: impl Fn(&str, String) -> PaintedLine) -> Vec<PaintedLine> {
    let indent = crate::wrap::width(mark);
    let blank = " ".repeat(indent);
    let rows = crate::wrap::wrap(text, cols.saturating_sub(indent));
    rows.into_iter().enumerate().map(|(row, text)| line(if row == 0 { mark } else { &blank }, text)).collect()
}

/// Formats seconds as the CLIs do.
fn seconds(took: Duration) -> String {
    let seconds = took.as_secs();
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m {}s", seconds / 60, seconds % 60),
        _ => format!("{}h {}m", seconds / 3600, seconds / 60 % 60),
    }
}
