//! The interface: what a person sees of sessions, and what they do with them.
//!
//! `app/` is the loop with its layers, which patterm runs on its engine. Beside it are plain data and pure functions: the
//! order of the tabs, which panes each has and where they are, what waits for the person and how it is answered. These name
//! no engine, coordinator or runtime: what a pane shows is any id that can be copied and compared, so every rule of theirs
//! is tested without a terminal. Events, rectangles and what can be drawn come from `tui` and `vt`.

pub mod app;
pub mod find;
pub mod grid;
pub mod inbox;
pub mod layout;
pub mod links;
pub mod palette;
pub mod path_completion;
pub mod run_layout;
pub mod spelled;
pub mod status_line;
pub mod tabs;
