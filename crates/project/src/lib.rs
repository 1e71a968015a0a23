//! A project as patterm runs it: its folder on disk, its settings, trust, scratchpads, timers and messages,
//! and the operations that need them.
//!
//! [`Project`] is the context of every operation of patterm: the session operations of `ops` and the ones in
//! [`operations`]. A face opens it, listens to [`ProjectEvent`]s and answers what waits for a human.
//!
//! It must not know JSON-RPC, sockets, tokens' spelling, clap or any widget. It reads no environment: folders, settings
//! and the clock come in through [`ProjectOptions`].

mod delivery;
mod events;
mod host;
mod identities;
mod layout;
pub mod operations;
mod project;
mod scratchpads;
mod settings;
mod timers;
mod trust;

pub use delivery::{Deliver, Delivery, DeliveryState, Receipt, TypeIn};
pub use events::ProjectEvent;
pub use identities::{Entrance, Identities, NoIdentities};
pub use layout::{Layout, LayoutError, ProjectKey};
pub use project::{Project, ProjectError, ProjectOptions};
pub use scratchpads::Scratchpads;
pub use settings::Settings;
pub use timers::Timers;
pub use trust::Trust;
