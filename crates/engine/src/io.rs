//! The bytes of a running session: the threads that move them, and the buffers they fill.

pub(crate) mod absorb;
mod echo;
pub(crate) mod freed_memory;
pub(crate) mod io_thread;
pub(crate) mod parser_thread;
pub(crate) mod ring;
pub(crate) mod run;
pub(crate) mod screen;
pub(crate) mod tap;
