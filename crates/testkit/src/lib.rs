//! What tests share: a scripted child program, a scripted model API, waiting with a reason, commands run to
//! completion, children that can't outlive a test, streams that can't be written to, and checks for leftovers of a test.
//!
//! Only ever a dev-dependency.

mod broken_stream;
mod ended;
mod leftovers;
pub mod model;
mod own_process;
mod ran;
mod script;
mod soon;
mod wait;

pub use broken_stream::BrokenStream;
pub use ended::{LifeLimit, TestChild};
pub use leftovers::{OpenDescriptor, RunningThread, child_pids, open_fds, threads};
pub use own_process::{SecondRole, in_own_process, play_second_role};
pub use ran::{FinishedCommand, run};
pub use script::{Script, child_path};
pub use soon::{line, soon, until};
pub use wait::{DEADLINE, wait_until, wait_until_some, wait_until_with};
