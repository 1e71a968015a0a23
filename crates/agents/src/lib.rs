//! Agent CLIs: how they are started, what they are doing, and how a prompt reaches them.
//!
//! - [`preset`]: the JSON files that describe an agent or a command, their folders, differences between them, and a
//!   store that follows the folders ([`PresetStore`]).
//! - [`injection`]: one launch of an agent preset: its command line, environment and files ([`AgentLaunch`]). The
//!   person's own configuration is only read.
//! - [`state`]: what a session is doing, by rules that are data ([`StateWatch`]), live or from a recording.
//! - [`delivery`]: prompts delivered exactly once, complete and submitted, with a [`DeliveryReceipt`].
//! - [`permission`]: what one agent may answer when another one asks.
//! - [`run_facts`]: what a preset or a command would do, shown to the human before they allow it.
//! - [`version`]: which version of a CLI is installed, and whether its preset was made for it.
//! - [`report`]: a session's recent output and the states told for it, in one file that people can send.
//! - [`chrome`]: removes what a program draws around the conversation.
//!
//! Called by the project's operations and by patterm. It knows no operations, faces, roles, trust or JSON-RPC, and
//! reads no environment, home or configuration: folders and paths come in as arguments. Facts about a vendor's program
//! are in a preset, never in code.

pub mod chrome;
pub mod delivery;
pub mod injection;
pub mod permission;
pub mod preset;
pub mod report;
pub mod run_facts;
pub mod state;
pub mod version;

pub use delivery::{DeliveryOutcome, DeliveryReceipt, DeliveryTicket, PromptMessage, PromptQueue, TurnId};
pub use injection::{AgentLaunch, LaunchError, LaunchFolder, LaunchRequest};
pub use preset::{AgentPreset, Catalog, ConversationId, Found, PresetFolders, PresetStore, Problem, ProcessPreset};
pub use run_facts::RunFact;
pub use state::{AgentStatus, Explanation, HookEvent, Source, State, StateWatch};
