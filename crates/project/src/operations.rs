//! The operations that only patterm has, one file each.

use ops::Entry;

use crate::project::Project;

pub mod select_process;

pub use select_process::SelectProcess;

/// Every line of patterm's table: those of any program, with patterm's own in place of one of the same name, and the
/// rest of patterm's.
pub fn entries() -> Vec<Entry<Project>> {
    let own = own();
    let mut entries = ops::operations::entries();
    entries.retain(|shared: &Entry<Project>| !own.iter().any(|entry| entry.name() == shared.name()));
    entries.extend(own);
    entries
}

fn own() -> Vec<Entry<Project>> {
    vec![Entry::of::<SelectProcess>()]
}
