//! The widgets: plain data in, cells out. Editable widgets keep a small state with an `update` method; drawing never
//! changes anything. No widget knows what its content stands for.

mod diff;
mod editor;
mod fuzzy;
mod help;
mod input;
mod list;
mod markdown;
mod modal;
mod pane_heading;
mod player;
mod scrollbar;
mod status_line;
mod tab_bar;
mod toast;
mod tree;
mod wrap;

pub use diff::diff_lines;
pub use editor::{EditorOutcome, TextEditor};
pub use fuzzy::{FuzzyCandidate, RankedCandidate, matched, rank};
pub use help::{HelpEntry, HelpTable};
pub use input::{InputOutcome, LineInput};
pub use list::{FuzzyList, ListEntry, ListOutcome};
pub use markdown::render_markdown;
pub use modal::{Modal, ModalOutcome};
pub use pane_heading::{draw_pane_border, draw_pane_heading};
pub use player::{PlayerOutcome, RecordingPlayer};
pub use scrollbar::draw_scrollbar;
pub use status_line::draw_status_line;
pub use tab_bar::{TabBar, TabHit, TabLabel};
pub use toast::{Toast, draw_toasts};
pub use tree::{TreeItem, TreeView};
pub use wrap::{cut, cut_middle, wrap_spans};

/// A line of styled text.
pub type StyledLine = Vec<crate::canvas::Span<'static>>;
