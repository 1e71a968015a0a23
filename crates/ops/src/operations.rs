//! The operations on sessions, one file each. A program's table is these and its own.

mod get_process_ports;

pub use get_process_ports::GetProcessPorts;

use crate::{Context, Entry};

/// The lines of the table that every program has.
pub fn entries<C: Context>() -> Vec<Entry<C>> {
    vec![Entry::of::<GetProcessPorts>()]
}
