//! Agent CLIs: how they are started, what they are doing, and how a prompt reaches them.
//!
//! - [`preset`]: the JSON files that describe an agent or a command, the folders they lie in, what
//!   changed in them, and a store that follows the folders ([`Presets`]).
//! - [`injection`]: one launch of an agent preset: its command line, environment and files
//!   ([`Launch`]). The person's own configuration is only ever read.
//! - [`state`]: what a session is doing, by rules that are data ([`StateWatch`]), live or over a
//!   recording.
//! - [`delivery`]: prompts that arrive once, whole and submitted, with a [`DeliveryReceipt`].
//! - [`permission`]: what one agent may answer when another one asks.
//! - [`run_facts`]: what a preset or a command would do, as the human reads it before they allow it.
//! - [`version`]: which version of a CLI is installed, and whether its preset was made for it.
//! - [`report`]: what a session printed and what was told of it, in one file, for people to send.
//! - [`chrome`]: a grid without what the program draws around the conversation.
//!
//! Called by the project's operations and by patterm. It knows no operations, faces, roles, trust or
//! JSON-RPC, and reads no environment, home or configuration: folders and paths come in as arguments.
//! Facts about a vendor's program are in a preset, never in code.

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
pub use injection::{Launch, LaunchError, LaunchFolder, LaunchRequest};
pub use preset::{AgentPreset, Catalog, Found, PresetFolders, Presets, Problem, ProcessPreset};
pub use run_facts::RunFact;
pub use state::{AgentStatus, Explanation, HookEvent, Source, State, StateWatch};
