//! Bytes in, screen out: a terminal as a state machine.
//!
//! [`Terminal::feed`] takes whatever a child printed, in any chunks, and never fails. Readers take
//! [`Frame`]s, text, searches or a re-serialisation; what the child asked of the world comes out as
//! [`Effect`]s. The [`input`] module turns keys, mouse events and pastes into bytes for the child.
//!
//! Called by the engine (one terminal per session), by the TUI (frames) and by tests. It knows no
//! I/O, threads, clocks, sessions or environment, and depends on no other crate of this house.

mod base64;
mod cell;
mod charset;
mod clusters;
mod color;
mod effect;
mod frame;
mod geometry;
mod grid;
mod hidden;
mod history;
pub mod input;
mod line;
mod line_builder;
mod modes;
mod params;
mod parser;
mod plain_text;
mod program_status;
mod state;
mod style;
mod tables;
mod tabs;
mod terminal;
mod unicode;

pub use clusters::{MAX_CLUSTER_BYTES, TextCluster, cluster_width, clusters, is_narrow_sign_or_emoji};
pub use color::{Color, Rgb, Theme};
pub use effect::{DesktopNotification, Effect, ProgressReport, PromptMark};
pub use frame::{Cursor, CursorShape, Frame};
pub use geometry::{Position, Size};
pub use hidden::is_hidden;
pub use line::{CellRef, Line, RunShape, StyleRun};
pub use line_builder::LineBuilder;
pub use modes::{InputModes, KittyFlags, MouseEncoding, MouseProtocol};
pub use plain_text::PlainText;
pub use program_status::{
    BlockedKind, ProgramState, StatusChange, StatusError, StatusRecord, inherited_app, status_text,
};
pub use style::{Attributes, LinkId, LinkTarget, Style, Underline};
pub use terminal::{SearchMatch, Terminal, TerminalOptions};
pub use unicode::is_bidi_control;
