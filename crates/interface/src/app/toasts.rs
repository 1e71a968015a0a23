//! Short notices that disappear by themselves. `tui` draws them.

use std::time::{Duration, Instant};

use tui::{Sign, widgets::Toast};

/// Long enough to read two lines.
const STAY: Duration = Duration::from_secs(5);
/// More would hide the pane.
const MAX: usize = 2;

/// The notices on the screen, the newest last.
#[derive(Debug, Default)]
pub(crate) struct ToastStack {
    shown: Vec<(Instant, Toast)>,
}

impl ToastStack {
    /// Shows a notice for a few seconds. Showing the same text again only extends its time.
    pub(crate) fn show(&mut self, sign: Sign, text: impl Into<String>) {
        let text = text.into();
        self.shown.retain(|(_, toast)| toast.text != text);
        if self.shown.len() >= MAX {
            self.shown.remove(0);
        }
        self.shown.push((Instant::now() + STAY, Toast { text, sign }));
    }

    /// When the next notice disappears.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.shown.iter().map(|(until, _)| *until).min()
    }

    /// Whether a notice disappeared.
    pub(super) fn expire(&mut self, now: Instant) -> bool {
        let before = self.shown.len();
        self.shown.retain(|(until, _)| *until > now);
        self.shown.len() != before
    }

    pub(super) fn list(&self) -> Vec<Toast> {
        self.shown.iter().map(|(_, toast)| toast.clone()).collect()
    }
}
