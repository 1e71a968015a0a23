//! Behaviour of the whole terminal, from bytes to what readers see, and from keys to bytes.

mod chunking;
mod effects;
mod history;
mod input_grammar;
mod input_kitty;
mod input_mouse;
mod input_paste;
mod input_properties;
mod input_xterm;
mod program_status;
mod repeat;
mod resize;
mod screen;
mod serialize;
mod streams;
mod synchronized;
