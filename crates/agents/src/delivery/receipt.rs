//! What a sender is told about its prompt.

use std::fmt;
use std::time::{Duration, SystemTime};

use engine::{Clock, Session, SessionId};
use serde::Serialize;
use thiserror::Error;
use tokio::sync::watch;

use crate::preset::DecisionKind;
use crate::state::PendingDecision;

/// Identifies a delivered prompt and the agent's work on it. Unique per engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TurnId {
    session: SessionId,
    number: u64,
}

/// The state of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryReceipt {
    pub turn_id: TurnId,
    pub outcome: DeliveryOutcome,
    pub queued_at: SystemTime,
    /// When the text had been typed.
    pub written_at: Option<SystemTime>,
    /// When the proof was seen.
    pub accepted_at: Option<SystemTime>,
    /// How often Enter was pressed.
    pub enters: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// Waiting, with the reason.
    Queued(DeliveryHold),
    Submitted {
        /// The name of the proof in the preset.
        verified_by: String,
    },
    Failed(DeliveryFailure),
}

/// What a queued prompt waits for.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DeliveryHold {
    #[error("{}", in_line(*ahead, first.as_deref()))]
    Turn {
        /// Prompts before it, including the one being delivered.
        ahead: usize,
        /// What the first of them waits for.
        first: Option<Box<DeliveryHold>>,
    },
    #[error("the agent is not ready yet: {missing}")]
    NotReady { missing: String },
    #[error("{} ({}): it is typed when that is answered or left", asks(decision.kind), decision.detail)]
    Blocked { decision: PendingDecision },
    #[error("the agent is working: it is typed when the turn is over")]
    Working,
    #[error("someone has begun to type in the agent's prompt: it is typed when that is sent or cleared")]
    Draft,
    #[error("it is not clear what the agent is doing ({detail})")]
    Unclear { detail: String },
    #[error("it is being typed")]
    Typing,
}

/// Why a prompt was not delivered.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DeliveryFailure {
    #[error("the agent was not ready within {waited:?}: {missing}; look at its screen, or start it again")]
    NotReady { waited: Duration, missing: String },
    #[error("it waited {waited:?}, and still {reason}; look at the agent's screen")]
    TimedOut { waited: Duration, reason: String },
    #[error("the agent has ended ({detail}): start it again")]
    Ended { detail: String },
    #[error(
        "the text was typed and Enter pressed, but nothing shows that the agent took it: look at its screen before sending again"
    )]
    Unproved,
    #[error(
        "a prompt or dialog came up after the text was typed, before Enter; it was not sent: answer it, then look at the prompt box"
    )]
    Interrupted,
    #[error("the text could not be typed: {message}")]
    NotTyped { message: String },
    #[error("it was taken back")]
    Cancelled,
}

fn in_line(ahead: usize, first: Option<&DeliveryHold>) -> String {
    let before = match ahead {
        0 => return "it is next".to_owned(),
        1 => "1 prompt is before it".to_owned(),
        more => format!("{more} prompts are before it"),
    };
    match first {
        Some(first) => format!("{before}, of which the first waits as well: {first}"),
        None => before,
    }
}

fn asks(kind: Option<DecisionKind>) -> &'static str {
    match kind {
        None => "the agent waits for a decision",
        Some(DecisionKind::Permission) => "the agent asks for a permission",
        Some(DecisionKind::Dialog) => "the agent shows a dialog of its own",
        Some(DecisionKind::Question) => "the agent asks its user a question",
    }
}

impl DeliveryOutcome {
    /// `queued`, `submitted` or `failed`.
    pub fn as_str(&self) -> &'static str {
        match self {
            DeliveryOutcome::Queued(_) => "queued",
            DeliveryOutcome::Submitted { .. } => "submitted",
            DeliveryOutcome::Failed(_) => "failed",
        }
    }

    pub fn is_final(&self) -> bool {
        !matches!(self, DeliveryOutcome::Queued(_))
    }
}

impl TurnId {
    pub(crate) fn new(session: SessionId, number: u64) -> Self {
        TurnId { session, number }
    }

    pub fn session(&self) -> SessionId {
        self.session
    }
}

/// `t_` with the session's digits and a number, such as `t_a1b2c3_4`.
impl fmt::Display for TurnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let session = self.session.to_string();
        write!(f, "t_{}_{}", session.trim_start_matches("p_"), self.number)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a turn id is 't_', six hex digits, '_' and a number, as in t_a1b2c3_4")]
pub struct TurnIdError;

impl std::str::FromStr for TurnId {
    type Err = TurnIdError;

    fn from_str(text: &str) -> Result<Self, TurnIdError> {
        let (session, number) = text.strip_prefix("t_").and_then(|rest| rest.split_once('_')).ok_or(TurnIdError)?;
        let session = format!("p_{session}").parse().map_err(|_| TurnIdError)?;
        let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        let number = number.parse().ok().filter(|_| digits).ok_or(TurnIdError)?;
        Ok(TurnId { session, number })
    }
}

impl Serialize for TurnId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Follows one prompt. Dropping it does not take the prompt back.
#[derive(Clone, Debug)]
pub struct DeliveryTicket {
    pub(crate) receipt: watch::Receiver<DeliveryReceipt>,
    pub(crate) clock: Clock,
}

impl DeliveryTicket {
    /// For a prompt that was not delivered by a queue.
    pub fn of_settled(session: &Session, number: u64, outcome: DeliveryOutcome) -> Self {
        let clock = session.clock().clone();
        let now = clock.system_now();
        let receipt = DeliveryReceipt {
            turn_id: TurnId::new(session.id(), number),
            outcome,
            queued_at: now,
            written_at: Some(now),
            accepted_at: Some(now),
            enters: 1,
        };
        DeliveryTicket { receipt: watch::channel(receipt).1, clock }
    }

    pub fn turn_id(&self) -> TurnId {
        self.receipt.borrow().turn_id
    }

    /// The present receipt.
    pub fn receipt(&self) -> DeliveryReceipt {
        self.receipt.borrow().clone()
    }

    /// Waits for a change; false if there will be none.
    pub async fn moved(&mut self) -> bool {
        self.receipt.changed().await.is_ok()
    }

    /// The final receipt, or the present one when the time is up.
    pub async fn settled(&mut self, timeout: Duration) -> DeliveryReceipt {
        let deadline = self.clock.now().checked_add(timeout);
        let clock = self.clock.clone();
        let timed_out = async {
            match deadline {
                Some(deadline) => clock.sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            // An error means that the queue is gone; the receipt tells how far it got.
            _ = self.receipt.wait_for(|receipt| receipt.outcome.is_final()) => {}
            () = timed_out => {}
        }
        self.receipt()
    }
}
