//! Notifications and progress, in the dialects that programs speak.

use super::{clean, parse_number, split_once};
use crate::{
    base64,
    effect::{DesktopNotification, Effect, ProgressReport},
    state::TerminalState,
};

/// An OSC 99 notification that comes in parts.
#[derive(Debug, Default)]
pub(crate) struct PendingNotification {
    id: String,
    title: String,
    body: String,
}

/// Longest title and body collected from parts.
const MAX_PART: usize = 4096;

impl TerminalState {
    fn notify(&mut self, title: String, body: String) {
        if !title.is_empty() || !body.is_empty() {
            self.effects.push(Effect::Notification(DesktopNotification { title, body }));
        }
    }

    /// OSC 9: ConEmu's numbered commands, or else a plain message.
    pub(super) fn conemu_or_notification(&mut self, body: &[u8]) {
        let (command, rest) = split_once(body, b';');
        match parse_number(command) {
            Some(4) => {
                let (state, percent) = split_once(rest, b';');
                let percent = parse_number(percent).map(|percent| percent.min(100) as u8);
                let progress = match parse_number(state) {
                    Some(0) | None => ProgressReport::Clear,
                    Some(1) => ProgressReport::Percent(percent.unwrap_or(0)),
                    Some(2) => ProgressReport::Error(percent),
                    Some(3) => ProgressReport::Indeterminate,
                    Some(4) => ProgressReport::Paused(percent),
                    Some(_) => return,
                };
                self.effects.push(Effect::Progress(progress));
            }
            Some(9) => self.effects.push(Effect::WorkingDirectory(clean(rest))),
            // ConEmu's other commands draw boxes and run macros; all are ignored.
            Some(1..=12) if body.contains(&b';') => {}
            _ => self.notify(String::new(), clean(body)),
        }
    }

    /// `777;notify;title;body`.
    pub(super) fn urxvt_notification(&mut self, body: &[u8]) {
        let (command, rest) = split_once(body, b';');
        if command == b"notify" {
            let (title, body) = split_once(rest, b';');
            self.notify(clean(title), clean(body));
        }
    }

    /// kitty's `99;key=value:key=value;payload`, possibly in parts (`d=0`: more follows).
    pub(super) fn kitty_notification(&mut self, body: &[u8]) {
        let (metadata, payload) = split_once(body, b';');
        let metadata = clean(metadata);
        let value = |key: &str| {
            metadata
                .split(':')
                .filter_map(|pair| pair.split_once('='))
                .find(|(name, _)| *name == key)
                .map(|pair| pair.1)
        };
        let payload =
            if value("e") == Some("1") { base64::decode(payload).unwrap_or_default() } else { payload.to_vec() };
        let text = clean(&payload);
        let id = value("i").unwrap_or_default();
        if self.notification.id != id {
            self.notification = PendingNotification { id: id.to_owned(), ..PendingNotification::default() };
        }
        let part = match value("p").unwrap_or("title") {
            "title" => &mut self.notification.title,
            "body" => &mut self.notification.body,
            // Queries, icons, buttons, and closing a notification: nothing to show.
            _ => return,
        };
        if part.len() + text.len() <= MAX_PART {
            part.push_str(&text);
        }
        if value("d") != Some("0") {
            let PendingNotification { title, body, .. } = std::mem::take(&mut self.notification);
            self.notify(title, body);
        }
    }
}
