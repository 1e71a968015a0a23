//! One launch of an agent: its command line, its environment, and files that live as long as it does.
//!
//! The launch has a folder of its own (0700, files 0600) that goes when the [`Launch`] is dropped.
//! The person's own configuration is read at most, never written. What goes into an environment
//! variable or an argument holds the path of the connect file, never the token inside it.

mod choices;
mod folder;
mod launch;
mod merge;
mod plan;
mod render;
mod write;

pub use folder::{LaunchFolder, is_plain_file_name};
pub use launch::{Launch, LaunchError, LaunchRequest};
pub(crate) use plan::{LaunchPlan, PlannedFile};
