//! What a panic does to the terminal: nothing that lasts.

use std::{panic, thread};

use tui::host::HostRestorer;

/// Puts the terminal back before a panic of the loop is printed; panics of other threads go to the log, as a line on
/// the screen would only spoil it. The hook before is back when this is dropped.
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
