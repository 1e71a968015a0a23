//! Keeps a panic from damaging the terminal.

use std::{panic, thread};

use tui::host::HostRestorer;

/// Restores the terminal before a panic of the loop is printed. Panics of other threads go to the log, because a line
/// on the screen would only spoil it. Dropping this reinstalls the previous hook.
#[derive(Debug)]
pub(super) struct PanicHook;

impl PanicHook {
    pub(super) fn install(restorer: HostRestorer) -> Self {
        let own = thread::current().id();
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if thread::current().id() == own {
                restorer.restore();
                before(info);
            } else {
                tracing::error!(%info, "a thread panicked");
            }
        }));
        PanicHook
    }
}

impl Drop for PanicHook {
    fn drop(&mut self) {
        if !thread::panicking() {
            drop(panic::take_hook());
        }
    }
}
