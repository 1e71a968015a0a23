//! The face end to end: a real engine behind a real socket, and real processes.

mod attach;
mod calls;
mod connect;
mod errors;
mod faults;
mod parity;
mod services;
mod stage;
mod subscribe;
mod watch;
