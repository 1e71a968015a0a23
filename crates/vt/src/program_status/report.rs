//! One report as bytes: read from a child, which may send anything, and written for a terminal.
//!
//! Forgiving about single pairs and strict about the whole, as the protocol asks: a pair that makes no sense is skipped;
//! a limit that is passed, an id or text that is not valid, and an unknown state each discard the report.

use std::fmt::Write;

use thiserror::Error;

use super::{
    BlockedKind, MAX_APP, MAX_ID, MAX_ID_DEPTH, MAX_ID_PART, MAX_KEY, MAX_SEQUENCE, ProgramState, StatusRecord,
};
use crate::{base64, hidden::is_hidden, parser::StringTerminator};

/// Bytes of `ESC ] 7501 ;`.
const INTRODUCER: &str = "\x1b]7501;";

/// What one sequence says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StatusMessage {
    /// The program asks whether anyone listens.
    Query,
    Set(StatusRecord),
    Clear {
        id: String,
    },
}

/// `body`: what follows `7501;`. `None` where the protocol says that nothing of the report may count.
pub(crate) fn parse(body: &[u8], terminator: StringTerminator) -> Option<StatusMessage> {
    if INTRODUCER.len() + body.len() + terminator.as_str().len() > MAX_SEQUENCE {
        return None;
    }
    let mut pairs = body.split(|&byte| byte == b':');
    if pairs.clone().next().map(trimmed) == Some(b"?") {
        return Some(StatusMessage::Query);
    }
    let said = pairs.try_fold(Said::default(), |mut said, pair| said.take(pair).then_some(said))?;
    said.message()
}

/// The values that count: of a key that comes twice, the last.
#[derive(Default)]
struct Said<'a> {
    state: Option<&'a str>,
    id: &'a str,
    kind: Option<&'a str>,
    progress: Option<&'a str>,
    app: Option<&'a str>,
    title: Option<&'a str>,
    msg: Option<&'a str>,
}

impl<'a> Said<'a> {
    /// False when this pair discards the report. Limits count for every pair, also for one that a later one replaces.
    fn take(&mut self, pair: &'a [u8]) -> bool {
        let Some(equals) = pair.iter().position(|&byte| byte == b'=') else { return true };
        let (key, value) = (trimmed(&pair[..equals]), trimmed(&pair[equals + 1..]));
        if key.len() > MAX_KEY {
            return false;
        }
        let max = match key {
            b"id" => MAX_ID,
            b"app" => MAX_APP,
            b"title" => encoded_len(StatusRecord::MAX_TITLE),
            b"msg" => encoded_len(StatusRecord::MAX_MSG),
            _ => usize::MAX,
        };
        if value.len() > max {
            return false;
        }
        let value = match std::str::from_utf8(value) {
            Ok(value) if value.bytes().all(is_value_byte) => value,
            // Skipping a broken id would turn the report to the program as a whole, and a `clear` to everything.
            _ => return key != b"id",
        };
        match key {
            b"state" => self.state = Some(value),
            b"id" if is_id(value) => self.id = value,
            b"id" => return false,
            b"kind" => self.kind = Some(value),
            b"progress" => self.progress = Some(value),
            b"app" => self.app = Some(value),
            b"title" => self.title = Some(value),
            b"msg" => self.msg = Some(value),
            _ => {}
        }
        true
    }

    fn message(self) -> Option<StatusMessage> {
        let title = decoded(self.title, StatusRecord::MAX_TITLE)?;
        let msg = decoded(self.msg, StatusRecord::MAX_MSG)?;
        let id = self.id.to_owned();
        let state = self.state?;
        if state == "clear" {
            return Some(StatusMessage::Clear { id });
        }
        let state = ProgramState::ALL.into_iter().find(|known| known.as_str() == state)?;
        let kind = BlockedKind::ALL.into_iter().find(|known| Some(known.as_str()) == self.kind);
        Some(StatusMessage::Set(StatusRecord {
            id,
            state,
            kind: kind.filter(|_| state == ProgramState::Blocked),
            progress: self.progress.and_then(percent).filter(|_| state.has_progress()),
            app: self.app.filter(|app| is_name(app)).map(str::to_owned),
            title,
            msg,
        }))
    }
}

/// `None` discards the report; a text that is absent or empty is none.
fn decoded(value: Option<&str>, max: usize) -> Option<Option<String>> {
    let Some(value) = value.filter(|value| !value.is_empty()) else { return Some(None) };
    let text = String::from_utf8(base64::decode_strict(value)?).ok()?;
    if text.len() > max || text.chars().any(char::is_control) {
        return None;
    }
    Some(Some(cut(&seen(&text), max)))
}

/// What can't be seen is shown as something that was there: a command must not hide a part of itself.
fn seen(text: &str) -> String {
    text.chars().map(|character| if is_hidden(character) { char::REPLACEMENT_CHARACTER } else { character }).collect()
}

fn cut(text: &str, max: usize) -> String {
    let end = (0..=max.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text[..end.unwrap_or_default()].to_owned()
}

fn trimmed(text: &[u8]) -> &[u8] {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let start = text.iter().position(|byte| !blank(byte)).unwrap_or(text.len());
    let end = text.iter().rposition(|byte| !blank(byte)).map_or(start, |last| last + 1);
    &text[start..end]
}

fn is_value_byte(byte: u8) -> bool {
    is_name_byte(byte) || matches!(byte, b',' | b'/' | b'=')
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'+' | b'-')
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.len() <= MAX_APP && text.bytes().all(is_name_byte)
}

fn is_id(text: &str) -> bool {
    let part = |part: &str| !part.is_empty() && part.len() <= MAX_ID_PART && part.bytes().all(is_name_byte);
    text.len() <= MAX_ID && text.split('/').count() <= MAX_ID_DEPTH && text.split('/').all(part)
}

fn percent(text: &str) -> Option<u8> {
    let digit = |byte: u8| byte.is_ascii_digit().then(|| byte - b'0');
    let percent = text.bytes().try_fold(0u16, |sum, byte| {
        let sum = sum * 10 + u16::from(digit(byte)?);
        (sum <= 100).then_some(sum)
    })?;
    u8::try_from(percent).ok().filter(|_| !text.is_empty())
}

const fn encoded_len(bytes: usize) -> usize {
    bytes.div_ceil(3) * 4
}

/// Why a record can't be reported.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum StatusError {
    #[error(
        "'{0}' is no id of a record: use up to 8 parts joined by '/', each of 1 to 32 of A-Z a-z 0-9 _ . + -, and at most \
         128 characters in all"
    )]
    Id(String),
    #[error("'{0}' can't name a program: use 1 to 32 of A-Z a-z 0-9 _ . + -")]
    App(String),
    #[error("progress is a percentage from 0 to 100, not {0}")]
    Progress(u8),
    #[error("progress is told of what is working or blocked, not of what is {}", .0.as_str())]
    ProgressOf(ProgramState),
    #[error("a kind is told of what is blocked, not of what is {}", .0.as_str())]
    KindOf(ProgramState),
    #[error("the text is longer than {max} bytes, or holds control characters: pass it through status_text first")]
    Text { max: usize },
}

impl StatusRecord {
    /// Whether a terminal will take it as it is.
    pub fn check(&self) -> Result<(), StatusError> {
        if !self.id.is_empty() && !is_id(&self.id) {
            return Err(StatusError::Id(self.id.clone()));
        }
        if let Some(app) = self.app.as_ref().filter(|app| !is_name(app)) {
            return Err(StatusError::App(app.clone()));
        }
        match self.progress {
            Some(progress) if progress > 100 => return Err(StatusError::Progress(progress)),
            Some(_) if !self.state.has_progress() => return Err(StatusError::ProgressOf(self.state)),
            _ => {}
        }
        if self.kind.is_some() && self.state != ProgramState::Blocked {
            return Err(StatusError::KindOf(self.state));
        }
        for (text, max) in [(&self.title, Self::MAX_TITLE), (&self.msg, Self::MAX_MSG)] {
            if text.as_ref().is_some_and(|text| text.len() > max || text.chars().any(char::is_control)) {
                return Err(StatusError::Text { max });
            }
        }
        Ok(())
    }

    /// The sequence that reports it, once [`check`](Self::check) has nothing against it.
    pub fn sequence(&self) -> String {
        let mut out = format!("{INTRODUCER}state={}", self.state.as_str());
        write_id(&self.id, &mut out);
        let mut pair = |key: &str, value: Option<String>| {
            if let Some(value) = value {
                // Writing to a string can't fail.
                let _ = write!(out, ":{key}={value}");
            }
        };
        let text = |text: &Option<String>| text.as_ref().map(|text| base64::encode(text.as_bytes()));
        pair("kind", self.kind.map(|kind| kind.as_str().to_owned()));
        pair("progress", self.progress.map(|progress| progress.to_string()));
        pair("app", self.app.clone());
        pair("title", text(&self.title));
        pair("msg", text(&self.msg));
        out.push_str(StringTerminator::StringTerminator.as_str());
        out
    }

    /// The sequence that takes back the record with this id and all below it; with an empty id, every record.
    pub fn clear_sequence(id: &str) -> Result<String, StatusError> {
        if !id.is_empty() && !is_id(id) {
            return Err(StatusError::Id(id.to_owned()));
        }
        let mut out = format!("{INTRODUCER}state=clear");
        write_id(id, &mut out);
        out.push_str(StringTerminator::StringTerminator.as_str());
        Ok(out)
    }

    /// The sequence that asks a terminal whether it keeps records. One that does answers with the same bytes, perhaps
    /// with more behind the question mark.
    pub const QUERY: &str = "\x1b]7501;?\x1b\\";
}

fn write_id(id: &str, out: &mut String) {
    if !id.is_empty() {
        let _ = write!(out, ":id={id}");
    }
}

/// One line that can be reported: controls become blanks, and what is longer than `max` bytes is cut with a mark.
pub fn status_text(text: &str, max: usize) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let line = line.trim();
    if line.len() <= max { line.to_owned() } else { cut(line, max.saturating_sub('…'.len_utf8())) + "…" }
}
