//! Whether an agent may send its input while another one waits for a decision, and which prompt it has read.
//!
//! The decision itself is made in `agents::permission`. Of humans only the prompt that they name is compared.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use agents::{
    permission::{self, ForbiddenAnswer, PermissionPolicy, PermissionRefusal, StalePrompt},
    preset::PermissionRules,
    state::AskedDecision,
};
use engine::{Kind, SessionId};
use ops::{Caller, ErrorKind, InputGuard, OpError};

use crate::{crew::Crew, project::lock, settings::Permissions};

/// The digest of the prompt that each agent has read last, by reader and session. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadPrompts {
    read: Arc<Mutex<HashMap<(SessionId, SessionId), String>>>,
}

impl ReadPrompts {
    /// Called before `caller` is told what `session` shows.
    pub(crate) fn note(&self, caller: &Caller, session: SessionId, digest: Option<&str>) {
        let Some(reader) = caller.session else { return };
        let mut read = lock(&self.read);
        match digest {
            Some(digest) => _ = read.insert((reader, session), digest.to_owned()),
            None => _ = read.remove(&(reader, session)),
        }
    }

    fn of(&self, reader: SessionId, session: SessionId) -> Option<String> {
        lock(&self.read).get(&(reader, session)).cloned()
    }

    pub(crate) fn forget(&self, session: SessionId) {
        lock(&self.read).retain(|(reader, read), _| *reader != session && *read != session);
    }
}

/// Called by the shared operations before they send input.
pub(crate) fn guard(
    guard: &InputGuard<'_>,
    crew: &Crew,
    read: &ReadPrompts,
    configured: &Permissions,
) -> Result<(), OpError> {
    if guard.session.kind() != Kind::Agent {
        return Ok(());
    }
    let Some(reader) = guard.caller.session else { return still_asked(guard, crew) };
    let judged = match crew.asked_decision(guard.session) {
        AskedDecision::Unreadable => permission::judge_unreadable(guard.input),
        // Not what the caller expects, so perhaps not what it wants.
        AskedDecision::None if guard.digest.is_some() => Err(PermissionRefusal::Stale(StalePrompt::Gone)),
        AskedDecision::None => Ok(()),
        AskedDecision::Prompt(prompt) => {
            let remembered = read.of(reader, guard.session.id());
            let digest = guard.digest.or(remembered.as_deref());
            let preset = crew.preset(guard.session.id());
            let nothing = PermissionRules::default();
            let policy = PermissionPolicy {
                configured: &configured.allow,
                never: &configured.never,
                preset: preset.as_ref().map_or(&nothing, |preset| &preset.permissions),
                answer_questions: configured.answer_questions,
            };
            permission::judge(&prompt, guard.input, digest, policy)
        }
    };
    judged.map_err(|refusal| refused(guard.session.id(), &refusal))
}

/// A human may answer anything; one who names a prompt answers that one and no other.
fn still_asked(guard: &InputGuard<'_>, crew: &Crew) -> Result<(), OpError> {
    let Some(digest) = guard.digest else { return Ok(()) };
    let stale = match crew.asked_decision(guard.session) {
        AskedDecision::Prompt(prompt) if prompt.digest == digest => return Ok(()),
        AskedDecision::Prompt(_) | AskedDecision::Unreadable => StalePrompt::Changed,
        AskedDecision::None => StalePrompt::Gone,
    };
    Err(refused(guard.session.id(), &PermissionRefusal::Stale(stale)))
}

fn refused(session: SessionId, refusal: &PermissionRefusal) -> OpError {
    let (kind, hint) = match refusal {
        PermissionRefusal::Stale(StalePrompt::Gone) => {
            (ErrorKind::RevisionMismatch, "look at it again: somebody may have answered")
        }
        PermissionRefusal::Stale(_) => {
            (ErrorKind::RevisionMismatch, "read it with explain_state, and answer with its digest as prompt_digest")
        }
        PermissionRefusal::Forbidden(ForbiddenAnswer::NoAnswer) => (
            ErrorKind::NotReady,
            "it waits for a decision: send one key, which is a choice's, enter, or esc to refuse; explain_state shows the \
             choices",
        ),
        PermissionRefusal::Forbidden(ForbiddenAnswer::QuestionForHuman) => (
            ErrorKind::NeedsTrust,
            "call request_human_attention with the question and its choices, or leave it with the key esc and say it with \
             send_message",
        ),
        PermissionRefusal::Forbidden(_) => {
            (ErrorKind::NeedsTrust, "call request_human_attention with what it asks, or refuse it with the key esc")
        }
    };
    OpError::new(kind, format!("session {session}: {refusal}")).with_hint(hint)
}
