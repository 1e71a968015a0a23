//! The operations that only patterm has, one file each.

use engine::{Origin, Session};
use ops::{Call, Entry, ErrorKind, OpError, Roles};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    project::Project,
    scratchpads::{PadError, PadName},
    timers::TimerError,
};

pub mod explain_state;
pub mod get_project_status;
pub mod report_hook;
pub mod report_state;
pub mod request_human_attention;
pub mod scratchpad_append;
pub mod scratchpad_delete;
pub mod scratchpad_list;
pub mod scratchpad_read;
pub mod scratchpad_write;
pub mod select_process;
pub mod send_message;
pub mod spawn_agent;
pub mod timer_cancel;
pub mod timer_fire_when_idle_all;
pub mod timer_fire_when_idle_any;
pub mod timer_list;
pub mod timer_pause;
pub mod timer_resume;
pub mod timer_set;
pub mod timer_wait;
pub mod wait_for_state;
pub mod whoami;

pub use explain_state::ExplainState;
pub use get_project_status::GetProjectStatus;
pub use report_hook::ReportHook;
pub use report_state::ReportState;
pub use request_human_attention::RequestHumanAttention;
pub use scratchpad_append::ScratchpadAppend;
pub use scratchpad_delete::ScratchpadDelete;
pub use scratchpad_list::ScratchpadList;
pub use scratchpad_read::ScratchpadRead;
pub use scratchpad_write::ScratchpadWrite;
pub use select_process::SelectProcess;
pub use send_message::SendMessage;
pub use spawn_agent::SpawnAgent;
pub use timer_cancel::TimerCancel;
pub use timer_fire_when_idle_all::TimerFireWhenIdleAll;
pub use timer_fire_when_idle_any::TimerFireWhenIdleAny;
pub use timer_list::TimerList;
pub use timer_pause::TimerPause;
pub use timer_resume::TimerResume;
pub use timer_set::TimerSet;
pub use timer_wait::TimerWait;
pub use wait_for_state::WaitForState;
pub use whoami::ProjectWhoami;

/// All entries of patterm's table: the shared operations, with patterm's own in place of those with the same name, and
/// patterm's further ones.
pub fn entries() -> Vec<Entry<Project>> {
    let own = own();
    let mut entries = ops::operations::entries();
    entries.retain(|shared: &Entry<Project>| !own.iter().any(|entry| entry.name() == shared.name()));
    entries.extend(own);
    entries
}

/// The operations that only patterm has, or has in its own version.
pub fn own() -> Vec<Entry<Project>> {
    vec![
        Entry::of::<SpawnAgent>(),
        Entry::of::<SelectProcess>(),
        Entry::of::<GetProjectStatus>(),
        Entry::of::<SendMessage>(),
        Entry::of::<RequestHumanAttention>(),
        Entry::of::<WaitForState>(),
        Entry::of::<ExplainState>(),
        Entry::of::<ReportState>(),
        Entry::of::<TimerWait>(),
        Entry::of::<TimerSet>(),
        Entry::of::<TimerFireWhenIdleAny>(),
        Entry::of::<TimerFireWhenIdleAll>(),
        Entry::of::<TimerCancel>(),
        Entry::of::<TimerPause>(),
        Entry::of::<TimerResume>(),
        Entry::of::<TimerList>(),
        Entry::of::<ScratchpadList>(),
        Entry::of::<ScratchpadRead>(),
        Entry::of::<ScratchpadWrite>(),
        Entry::of::<ScratchpadAppend>(),
        Entry::of::<ScratchpadDelete>(),
        Entry::of::<ProjectWhoami>(),
        Entry::of::<ReportHook>(),
    ]
}

/// The table's entries if sub-agents may start agents of their own.
pub(crate) fn entries_for_depth(max_depth: u32) -> Vec<Entry<Project>> {
    let mut entries = entries();
    if max_depth > 2 {
        for entry in entries.iter_mut().filter(|entry| entry.name() == "spawn_agent") {
            entry.traits.roles = Roles::ANYONE;
        }
    }
    entries
}

/// Success, without further data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Done {
    pub ok: bool,
}

const DONE: Done = Done { ok: true };

/// The origin of a typed prompt. An operator's prompt does not take over the session: it is not typed by the human.
fn typist(call: &Call<Project>) -> Origin {
    call.caller.session.map_or(Origin::System, Origin::Agent)
}

/// The caller's own session; `None` for an operator.
fn own_session(call: &Call<Project>) -> Result<Option<Session>, OpError> {
    Ok(call.caller.session.map(|session| call.engine().get(session)).transpose()?)
}

fn pad_name(name: String) -> Result<PadName, OpError> {
    PadName::new(name).map_err(OpError::from)
}

impl From<PadError> for OpError {
    fn from(error: PadError) -> Self {
        let kind = match &error {
            PadError::Name { .. } => ErrorKind::InvalidArgs,
            PadError::NotFound { .. } => ErrorKind::NotFound,
            PadError::NotAFile { .. } | PadError::NotText { .. } => ErrorKind::WrongKind,
            PadError::TooBig { .. } | PadError::TooMany { .. } | PadError::NoSpace { .. } => ErrorKind::LimitExceeded,
            PadError::Locked { .. } => ErrorKind::NotReady,
            PadError::Io { .. } => ErrorKind::Internal,
        };
        OpError::from_text(kind, error.to_string())
    }
}

impl From<TimerError> for OpError {
    fn from(error: TimerError) -> Self {
        let kind = match &error {
            TimerError::TooMany { .. } => ErrorKind::LimitExceeded,
            TimerError::NotFound { .. } => ErrorKind::NotFound,
        };
        OpError::from_text(kind, error.to_string())
    }
}
