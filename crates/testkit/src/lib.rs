//! What tests share: a scripted child program, a scripted model API, waiting with a reason, a clock that tests move,
//! and a look at what a test leaves behind.
//!
//! Only ever a dev-dependency. It knows nothing of terminals or sessions.

mod clock;
mod leftovers;
pub mod model;
mod own_process;
mod script;
mod wait;

pub use clock::FakeClock;
pub use leftovers::{Descriptor, Thread, child_pids, open_fds, threads};
pub use own_process::{SecondRole, in_own_process, play_second_role};
pub use script::{Script, child_path};
pub use wait::{DEADLINE, wait_until, wait_until_some, wait_until_with};
