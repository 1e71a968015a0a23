//! Notifications to a face.

use engine::SessionId;

/// A hint for a face: something needs the human, or a displayed list is outdated. After a lag, read everything again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProjectEvent {
    /// An agent asks the human to look at a session.
    Attention {
        session: SessionId,
        reason: String,
        /// The agent that asks; `None` for an operator.
        caller: Option<SessionId>,
    },
    /// An agent's pending decision has appeared, changed, or gone: see [`Crew::waiting`](crate::Crew::waiting).
    PromptsChanged {
        session: SessionId,
    },
    /// Something that a person should know about an agent's program, told once per run: its version is too old for its
    /// preset, or newer than those it was tested with.
    VersionNote {
        session: SessionId,
        note: String,
    },
    /// An agent's hook or plugin has reported an event. The text is the agent's.
    HookReported {
        session: SessionId,
        name: String,
        detail: String,
    },
    /// An agent asks the face to show a session. Advice, not an order.
    Select {
        session: SessionId,
        /// The agent that asks; `None` for an operator.
        caller: Option<SessionId>,
    },
    /// A preset waits for the human's trust: see [`ProjectTrust::questions`](crate::ProjectTrust::questions).
    TrustPending,
    /// A grant was given, revoked, or came from another process.
    TrustChanged,
    ScratchpadsChanged,
    PresetsChanged,
}

/// Events queued for a slow face.
pub(crate) const EVENT_CAPACITY: usize = 256;
