//! A project as patterm runs it: its folder on disk, its settings, trust, scratchpads, timers and messages,
//! and the operations that need them.
//!
//! [`Project`] is the context of every operation of patterm: the session operations of `ops` and those in
//! [`operations`]. A face opens it, listens to [`ProjectEvent`]s and answers what needs the human.
//!
//! It must not know JSON-RPC, sockets, the spelling of tokens, clap or any widget. It reads no environment: folders,
//! settings and the clock come in through [`ProjectOptions`].

mod cli_versions;
mod crew;
mod delivery;
mod events;
mod file_lock_turn;
mod folder;
mod free_commands;
mod git_branch;
mod help_topics;
mod host;
mod identities;
mod last_run;
mod layout;
mod messages;
pub mod operations;
mod permissions;
pub mod presets;
mod project;
mod recents;
mod scratchpads;
pub mod settings;
pub mod start_set;
mod system_notices;
pub mod timers;
pub mod trust;

pub use crew::{AgentStanding, Crew, WaitingAgent, turns::TurnFacts};
pub use delivery::{Deliver, DeliveryFacts, DeliveryState};
pub use events::ProjectEvent;
pub use file_lock_turn::FileLockTurn;
pub use git_branch::{GitHead, git_head};
pub use identities::{Entrance, Identities, NoIdentities};
pub use last_run::{
    LayoutAxis, OpenedTabs, PaneLayout, PanesLayout, RecordedProgram, RecordedTab, ReopenedTab, RunLayout, SplitLayout,
    TabLayout, TabOutcome, WHOLE_SHARE,
};
pub use layout::{Layout, LayoutError, ProjectKey};
pub use messages::{Speaker, direction, tagged};
pub use project::{Project, ProjectError, ProjectOptions};
pub use recents::Recents;
pub use scratchpads::{MAX_PAD_BYTES, PadError, PadInfo, PadName, Revision, ScratchpadText, Scratchpads, WriteOutcome};
pub use settings::Settings;
pub use timers::Timers;
pub use trust::ProjectTrust;
