//! The interface as plain data and pure functions: the order of the tabs, which panes each has and where they are, and
//! what waits for the person and how it is answered.
//!
//! Used by patterm's screen, and meant for `vtr attach` too: nothing here names an engine, a coordinator or a runtime.
//! What a pane shows is any id that can be copied and compared, so every rule of the interface is tested without a
//! terminal. Events, rectangles and what can be drawn come from `tui` and `vt`.

pub mod find;
pub mod grid;
pub mod inbox;
pub mod layout;
pub mod links;
pub mod palette;
pub mod path_completion;
pub mod tabs;
