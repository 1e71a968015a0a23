//! One launch of an agent: its command line, its environment, and files that live as long as it does.
//!
//! The launch has a folder of its own (0700, files 0600), which is removed when the [`AgentLaunch`] is dropped. The
//! person's own configuration may be read, but is never written. Environment variables and arguments contain the path
//! of the connect file, never the token inside it.

mod choices;
mod folder;
mod launch;
mod merge;
mod plan;
mod render;
mod write;

pub use folder::{LaunchFolder, is_plain_file_name};
pub use launch::{AgentLaunch, LaunchError, LaunchRequest};
pub(crate) use plan::{LaunchPlan, PlannedFile};
