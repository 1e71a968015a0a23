//! What a face is told without having asked.

use engine::SessionId;

/// A hint for a face: something waits for the human, or a list it shows is old. After a lag, ask for everything again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProjectEvent {
    /// An agent asks the human to look at a session.
    Attention {
        session: SessionId,
        reason: String,
        /// The agent that asks; none for an operator.
        caller: Option<SessionId>,
    },
    /// An agent has come to wait for a decision, waits for another one, or waits no longer: see
    /// [`Crew::waiting`](crate::Crew::waiting).
    PromptsChanged {
        session: SessionId,
    },
    /// Something about an agent's program that a person should know, told once a run: its version is too old for its
    /// preset, or newer than those it was tested with.
    VersionNote {
        session: SessionId,
        note: String,
    },
    /// An agent's hook or plugin has reported something. The words are the agent's.
    HookReported {
        session: SessionId,
        name: String,
        detail: String,
    },
    /// An agent asks the face to show a session. Advice, not an order.
    Select {
        session: SessionId,
        /// The agent that asks; none for an operator.
        caller: Option<SessionId>,
    },
    /// A preset waits for the human's trust: see [`Trust::questions`](crate::Trust::questions).
    TrustPending,
    /// A grant was given, taken back, or came from another process.
    TrustChanged,
    ScratchpadsChanged,
    PresetsChanged,
}

/// Events that wait for a slow face.
pub(crate) const EVENT_CAPACITY: usize = 256;
