//! Coordinators, on this machine and elsewhere: which ones the configuration names, how to reach them, the sessions
//! that they have, and one attached session with its screen.
//!
//! It knows no terminal, keys or layers, and draws nothing: `vtr`'s commands, its attach and patterm's remote sessions
//! are built on it.

mod abort_on_drop;
mod client_surroundings;
mod config;
pub mod coordinators;
pub mod default_socket;
mod link;
mod mirror;
pub mod path_pattern;
pub mod reach;
pub mod refusal;
mod roster;
mod unanswered;
pub mod wire_input;

pub use self::{
    client_surroundings::ClientSurroundings,
    config::{
        AttachConfig, ClientConfig, CommandDefaults, ConfiguredCoordinator, OutputFormat, check_name, malformed,
        read_config,
    },
    coordinators::{Coordinator, SessionAddress},
    link::{AttachLink, AttachTarget, LinkEvent, LinkNumber, LinkReport},
    mirror::{PLAIN_THEME, ScreenMirror, cell_shape},
    reach::{CoordinatorSilence, FleetAnswers, ReachedCoordinator, SessionSearch},
    roster::{RosterEvent, RosterMember, RosterReport, SessionRef, SessionRoster, is_running, reference},
    unanswered::UnansweredInput,
};
