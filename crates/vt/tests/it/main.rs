//! Integration tests of `vt`, one module a subject.

mod input_grammar;
mod input_kitty;
mod input_mouse;
mod input_paste;
mod input_properties;
mod input_xterm;
