//! What one agent may answer when another one asks for permission.
//!
//! A pure function of a prompt, an input, what the answering agent has read, and rules that are data. In doubt the
//! answer is refused: if the prompt can't be read completely, is on no list, or would allow more than this one action.
//! Refusing a prompt is always allowed. None of this is a safety boundary: a prompt is text on a screen.

use engine::Input;
use thiserror::Error;
use vt::input::{Key, KeyEvent, Modifiers};

use crate::preset::{DecisionKind, Expression, PermissionRules};
use crate::state::{Effect, Prompt};

/// The lists to decide by.
#[derive(Clone, Copy, Debug)]
pub struct PermissionPolicy<'a> {
    /// The human's own list: matching commands may be allowed, whatever the other lists say.
    pub configured: &'a [Expression],
    /// Commands that match one of these may not be allowed.
    pub never: &'a [Expression],
    /// The preset's list.
    pub preset: &'a PermissionRules,
    /// Whether the human lets other agents answer questions of the model, if the preset does.
    pub answer_questions: bool,
}

/// Why an agent's input is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PermissionRefusal {
    /// The agent has read a different prompt, or none.
    #[error("{0}")]
    Stale(StalePrompt),
    #[error("{0}")]
    Forbidden(ForbiddenAnswer),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum StalePrompt {
    #[error("the prompt on its screen is another one than you have read")]
    Changed,
    #[error("you have not read the prompt on its screen")]
    NeverRead,
    #[error("the prompt you have read is no longer on its screen")]
    Gone,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ForbiddenAnswer {
    #[error("it waits for a decision that can't be read from its screen")]
    Unreadable,
    #[error("the input is not a single key of the prompt on its screen")]
    NoAnswer,
    #[error("'{label}' allows more than this one thing, and nobody but the human may do that")]
    Widens { label: String },
    #[error("the command can't be read whole: it may be cut, wrapped, or mixed with other text")]
    Incomplete,
    #[error("'{subject}' is not among the things that an agent may allow")]
    NotListed { subject: String },
    #[error("it asks its user a question, and its preset or the settings leave those to the human")]
    QuestionForHuman,
}

/// Whether an agent may send `input` while `prompt` is on the screen. `read` is the digest of the prompt that it has
/// read.
pub fn judge(
    prompt: &Prompt,
    input: &Input,
    read: Option<&str>,
    policy: PermissionPolicy<'_>,
) -> Result<(), PermissionRefusal> {
    let forbidden = |why| Err(PermissionRefusal::Forbidden(why));
    let choice = match answer(prompt, input) {
        ProposedAnswer::Refuses | ProposedAnswer::Moves => return Ok(()),
        ProposedAnswer::Unknown => return forbidden(ForbiddenAnswer::NoAnswer),
        ProposedAnswer::Chooses(choice) => choice,
    };
    if choice.effect == Effect::Deny {
        return Ok(());
    }
    match read {
        None => return Err(PermissionRefusal::Stale(StalePrompt::NeverRead)),
        Some(digest) if digest != prompt.digest => return Err(PermissionRefusal::Stale(StalePrompt::Changed)),
        Some(_) => {}
    }
    if prompt.kind == DecisionKind::Question {
        // An answer in words: the agent could say the same in a message.
        return match (&prompt.question, policy.preset.answer_questions && policy.answer_questions) {
            (_, false) => forbidden(ForbiddenAnswer::QuestionForHuman),
            (None, true) => forbidden(ForbiddenAnswer::Incomplete),
            (Some(_), true) => Ok(()),
        };
    }
    if choice.effect != Effect::AllowOnce {
        return forbidden(ForbiddenAnswer::Widens { label: choice.label.clone() });
    }
    if !prompt.complete {
        return forbidden(ForbiddenAnswer::Incomplete);
    }
    let (Some(tool), Some(command)) = (&prompt.tool, &prompt.command) else {
        return forbidden(ForbiddenAnswer::Incomplete);
    };
    let subject = format!("{tool}: {command}");
    let matches = |list: &[Expression]| list.iter().any(|expression| matches_whole(expression, &subject));
    let allowed = is_plain(command)
        && (matches(policy.configured) || (!matches_part(policy.never, &subject) && matches(&policy.preset.allow)));
    if allowed { Ok(()) } else { forbidden(ForbiddenAnswer::NotListed { subject }) }
}

/// While an unreadable decision is pending, only keys that leave it are allowed.
pub fn judge_unreadable(input: &Input) -> Result<(), PermissionRefusal> {
    if refuses(input) { Ok(()) } else { Err(PermissionRefusal::Forbidden(ForbiddenAnswer::Unreadable)) }
}

/// The effect of an input on a prompt.
enum ProposedAnswer<'a> {
    Chooses(&'a crate::state::Choice),
    /// Leaves the prompt.
    Refuses,
    /// Moves the selection to another choice.
    Moves,
    Unknown,
}

fn answer<'a>(prompt: &'a Prompt, input: &Input) -> ProposedAnswer<'a> {
    if refuses(input) {
        return ProposedAnswer::Refuses;
    }
    if matches!(input, Input::Text(text) if text.is_empty()) {
        // Types nothing; an Enter that follows is checked separately.
        return ProposedAnswer::Moves;
    }
    let Some(key) = single_key(input) else { return ProposedAnswer::Unknown };
    let chosen = match key {
        Key::Enter => prompt.choices.iter().find(|choice| choice.selected),
        Key::Up | Key::Down | Key::Left | Key::Right => return ProposedAnswer::Moves,
        Key::Char(character) => {
            let is_it = |name: &Option<String>| name.as_deref() == Some(character.encode_utf8(&mut [0; 4]));
            prompt.choices.iter().find(|choice| is_it(&choice.key) || is_it(&choice.number))
        }
        _ => None,
    };
    chosen.map_or(ProposedAnswer::Unknown, ProposedAnswer::Chooses)
}

fn refuses(input: &Input) -> bool {
    match input {
        Input::Key(KeyEvent { key: Key::Escape, modifiers, .. }) => modifiers.is_empty(),
        Input::Key(KeyEvent { key: Key::Char('c'), modifiers, .. }) => *modifiers == Modifiers::CTRL,
        Input::Text(text) => matches!(text.as_str(), "\u{1b}" | "\u{3}"),
        Input::Bytes(bytes) => matches!(bytes.as_slice(), [0x1b] | [0x03]),
        _ => false,
    }
}

/// A key without modifiers, in whichever form it was given.
fn single_key(input: &Input) -> Option<Key> {
    let of_character = |character| match character {
        '\r' | '\n' => Key::Enter,
        character => Key::Char(character),
    };
    match input {
        Input::Key(KeyEvent { key, modifiers, .. }) => modifiers.is_empty().then_some(*key),
        Input::Text(text) => {
            let mut characters = text.chars();
            let first = characters.next()?;
            characters.next().is_none().then(|| of_character(first))
        }
        Input::Bytes(bytes) => match bytes.as_slice() {
            [byte] if byte.is_ascii() => Some(of_character(char::from(*byte))),
            _ => None,
        },
        Input::Paste(_) | Input::Mouse(_) | Input::Wheel(_) | Input::Focus(_) => None,
    }
}

/// Only plain words: text that a shell would treat specially is not matched by lists.
fn is_plain(command: &str) -> bool {
    let word = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b' ' | b'_' | b'.' | b'/' | b',' | b':' | b'@' | b'+' | b'-' | b'%')
    };
    !command.is_empty() && command.bytes().all(word)
}

fn matches_whole(expression: &Expression, subject: &str) -> bool {
    expression.pattern().regex().find_iter(subject).any(|found| found.range() == (0..subject.len()))
}

fn matches_part(expressions: &[Expression], subject: &str) -> bool {
    expressions.iter().any(|expression| expression.is_match(subject))
}

#[cfg(test)]
mod tests;
