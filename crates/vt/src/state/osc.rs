//! Operating system commands: titles, links, colours, and reports for the programs that watch the child.

mod color;
mod notify;

use super::TerminalState;
use crate::{
    base64,
    effect::{Effect, PromptMark},
    parser::StringTerminator,
    program_status::{self, StatusMessage},
    unicode::is_bidi_control,
};
pub(super) use notify::PendingNotification;

/// Maximum bytes of a title, directory or notification.
const MAX_TEXT: usize = 4096;
/// Maximum bytes of a clipboard write, decoded.
const MAX_CLIPBOARD: usize = 768 << 10;

impl TerminalState {
    pub(super) fn run_osc(&mut self, body: &[u8], terminator: StringTerminator) {
        let (head, rest) = split_once(body, b';');
        let Some(number) = parse_number(head) else { return };
        match number {
            0 => {
                let title = clean(rest);
                self.set_icon_name(title.clone());
                self.set_title(title);
            }
            1 => self.set_icon_name(clean(rest)),
            2 => self.set_title(clean(rest)),
            4 => self.palette_colors(rest, terminator),
            7 => self.effects.push(Effect::WorkingDirectory(clean(rest))),
            8 => self.hyperlink(rest),
            9 => self.conemu_or_notification(rest),
            10..=12 => self.dynamic_colors(number, rest, terminator),
            52 => self.clipboard(rest),
            99 => self.kitty_notification(rest),
            104 => self.reset_palette(rest),
            110..=112 => self.reset_dynamic_color(number),
            133 => self.prompt_mark(rest),
            777 => self.urxvt_notification(rest),
            7501 => self.program_status(rest, terminator),
            _ => self.effects.push(Effect::UnknownOsc { number, body: clean(rest) }),
        }
    }

    /// `8;key=value:key=value;uri`; an empty target ends the link.
    fn hyperlink(&mut self, body: &[u8]) {
        let (params, uri) = split_once(body, b';');
        let uri = clean(uri);
        let id = clean(params).split(':').find_map(|pair| pair.strip_prefix("id=").map(str::to_owned));
        let link = if uri.is_empty() { None } else { self.links.open(&id.unwrap_or_default(), &uri) };
        self.change_pen(|pen| pen.link = link);
    }

    /// `52;selection;base64`. A query (`?`) is never answered: the child must not read the clipboard.
    fn clipboard(&mut self, body: &[u8]) {
        let (selection, data) = split_once(body, b';');
        if data == b"?" {
            return;
        }
        if let Some(data) = base64::decode(data).filter(|data| data.len() <= MAX_CLIPBOARD) {
            self.effects.push(Effect::Clipboard { selection: clean(selection), data });
        }
    }

    fn prompt_mark(&mut self, body: &[u8]) {
        let (mark, rest) = split_once(body, b';');
        let mark = match mark {
            b"A" => PromptMark::PromptStart,
            b"B" => PromptMark::InputStart,
            b"C" => PromptMark::OutputStart,
            b"D" => {
                let (code, _) = split_once(rest, b';');
                PromptMark::Finished { exit_code: std::str::from_utf8(code).ok().and_then(|code| code.parse().ok()) }
            }
            _ => return,
        };
        self.effects.push(Effect::Prompt(mark));
        if mark == PromptMark::PromptStart {
            // A shell asks for the next command: whoever reported has given the terminal back.
            self.status.end_program(&mut self.effects);
        }
    }

    /// `7501;state=working:app=codex`.
    fn program_status(&mut self, body: &[u8], terminator: StringTerminator) {
        match program_status::parse(body, terminator) {
            // A bare question mark means all that the revision knows, and is what every revision before it answers.
            Some(StatusMessage::Query) => self.reply(format!("\x1b]7501;?{}", terminator.as_str())),
            Some(StatusMessage::Set(record)) => self.status.set(record, &mut self.effects),
            Some(StatusMessage::Clear { id }) => self.status.clear(&id, &mut self.effects),
            None => {}
        }
    }
}

fn split_once(body: &[u8], at: u8) -> (&[u8], &[u8]) {
    match body.iter().position(|&byte| byte == at) {
        Some(index) => (&body[..index], &body[index + 1..]),
        None => (body, &[]),
    }
}

fn parse_number(text: &[u8]) -> Option<u32> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Cleans text shown to people: valid, short, without control characters, and without characters that reorder a title's
/// neighbours.
fn clean(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(&text[..text.len().min(MAX_TEXT)]);
    text.chars().filter(|c| !c.is_control() && !is_bidi_control(*c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cleaned_text_has_no_controls() {
        assert_eq!(clean("a\u{7}b\u{202e}c\u{9b}é".as_bytes()), "abcé");
        assert_eq!(clean(&[b'x'; 10_000]).len(), MAX_TEXT);
    }
}
