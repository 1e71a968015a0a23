//! The host terminal and what is drawn on it: raw mode, key decoding, a canvas, a cell-diff writer, panes, widgets,
//! layers and key bindings.
//!
//! Used by patterm and by `vtr attach`, which draw the same panes. It takes [`vt::Frame`]s and plain data, so it can't
//! name a session, and it reads neither environment nor configuration. Update and render are kept apart: state changes
//! when an event comes, and drawing is a function of that state.

mod canvas;
mod copy_mode;
mod decode;
mod document;
mod event;
mod geometry;
pub mod host;
mod keymap;
mod layers;
mod pane;
mod selection;
mod skin;
pub mod widgets;
mod writer;

pub use canvas::{BoxLines, Canvas, CanvasCell, CanvasCursor, CellLink, CellText, Span, text_cols};
pub use copy_mode::{CopyMode, CopyOutcome, SearchDirection, plain_text_pattern};
pub use decode::HostDecoder;
pub use document::{Document, DocumentPoint};
pub use event::{ColorScheme, HostEvent, Reply};
pub use geometry::Rect;
pub use keymap::{BindError, KeySequence, Keymap, KeymapOutcome, is_same_key};
pub use layers::{Layer, LayerOutcome, LayerStack};
pub use pane::{PaneMark, PaneRow, PaneView};
pub use selection::{ClickCounter, SelectionUnit, TextSelection};
pub use skin::{
    GlyphSet, MAX_THEME_BYTES, ShippedTheme, Sign, Skin, SkinRole, SkinStyles, ThemeFault, ThemeFile, layered,
};
pub use writer::{CanvasWriter, ColorDepth, WriterOptions};
