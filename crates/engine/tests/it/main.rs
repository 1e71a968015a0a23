//! Sessions with real programs in real terminals.

mod cascade;
mod crowd;
mod endings;
mod environment;
mod input;
mod lifecycle;
mod names;
mod ports;
mod reads;
mod shutdown;
mod stage;
mod synchronized;
mod taps;
mod waits;
