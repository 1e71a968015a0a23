//! The interface as plain data and pure functions: which panes a tab has and where they are.
//!
//! Used by patterm's screen, and meant for `vtr attach` too: nothing here names an engine, a coordinator or a runtime.
//! What a pane shows is any id that can be copied and compared, so every rule of the interface is tested without a
//! terminal. Only rectangles and positions come from `tui` and `vt`.

pub mod layout;
