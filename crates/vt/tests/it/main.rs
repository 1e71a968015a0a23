//! Behaviour of the whole terminal, from bytes to what readers see.

mod chunking;
mod effects;
mod history;
mod resize;
mod screen;
mod serialize;
mod streams;
mod synchronized;
