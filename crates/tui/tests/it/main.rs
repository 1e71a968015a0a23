//! What the host shows, what comes back from it, and what the widgets make of plain data.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails, also outside its own function")]

mod copy_mode;
mod decode;
mod demo;
mod host;
mod panes;
mod screen;
mod widgets;
mod writer;
