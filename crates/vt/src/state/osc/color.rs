//! OSC 4, 10, 11, 12 and their resets: the palette and the dynamic colours.

use std::sync::Arc;

use super::{clean, parse_number};
use crate::{color::Rgb, color::Theme, parser::StringTerminator, state::TerminalState};

impl TerminalState {
    /// `4;index;spec;index;spec…`; a `?` asks.
    pub(super) fn palette_colors(&mut self, body: &[u8], terminator: StringTerminator) {
        let mut parts = body.split(|&byte| byte == b';');
        while let (Some(index), Some(spec)) = (parts.next(), parts.next()) {
            let Some(index) = parse_number(index).filter(|&index| index < 256) else { continue };
            if spec == b"?" {
                let color = self.theme.palette[index as usize];
                self.reply_color(&format!("4;{index}"), color, terminator);
            } else if let Some(color) = parse_color(&clean(spec)) {
                self.change_theme(|theme| theme.palette[index as usize] = color);
            }
        }
    }

    /// `10;spec;spec…`: each further value belongs to the next number.
    pub(super) fn dynamic_colors(&mut self, first: u32, body: &[u8], terminator: StringTerminator) {
        for (number, spec) in (first..=12).zip(body.split(|&byte| byte == b';')) {
            if spec == b"?" {
                let color = *slot(&mut (*self.theme).clone(), number);
                self.reply_color(&number.to_string(), color, terminator);
            } else if let Some(color) = parse_color(&clean(spec)) {
                self.change_theme(|theme| *slot(theme, number) = color);
            }
        }
    }

    pub(super) fn reset_palette(&mut self, body: &[u8]) {
        let base = Arc::clone(&self.base_theme);
        if body.is_empty() {
            return self.change_theme(|theme| theme.palette = base.palette.clone());
        }
        for index in body.split(|&byte| byte == b';').filter_map(parse_number).filter(|&index| index < 256) {
            self.change_theme(|theme| theme.palette[index as usize] = base.palette[index as usize]);
        }
    }

    pub(super) fn reset_dynamic_color(&mut self, number: u32) {
        let color = *slot(&mut (*self.base_theme).clone(), number - 100);
        self.change_theme(|theme| *slot(theme, number - 100) = color);
    }

    fn change_theme(&mut self, change: impl FnOnce(&mut Theme)) {
        change(Arc::make_mut(&mut self.theme));
    }

    fn reply_color(&mut self, head: &str, Rgb { r, g, b }: Rgb, terminator: StringTerminator) {
        let end = terminator.as_str();
        self.reply(format!("\x1b]{head};rgb:{r:02x}{r:02x}/{g:02x}{g:02x}/{b:02x}{b:02x}{end}"));
    }
}

fn slot(theme: &mut Theme, number: u32) -> &mut Rgb {
    match number {
        10 => &mut theme.foreground,
        11 => &mut theme.background,
        _ => &mut theme.cursor,
    }
}

/// X11's `rgb:r/g/b` with one to four digits a part, and `#rgb` with equal parts.
fn parse_color(spec: &str) -> Option<Rgb> {
    if let Some(parts) = spec.strip_prefix("rgb:") {
        let mut parts = parts.split('/').map(scaled);
        let color = Rgb::new(parts.next()??, parts.next()??, parts.next()??);
        return parts.next().is_none().then_some(color);
    }
    let digits = spec.strip_prefix('#')?;
    if !digits.is_ascii() || digits.is_empty() || digits.len() % 3 != 0 {
        return None;
    }
    let each = digits.len() / 3;
    // In this older form the digits are the high ones: `#f00` is f0, not ff.
    let part = |index: usize| {
        let text = &digits[index * each..(index + 1) * each];
        let value = u32::from_str_radix(text, 16).ok()?;
        (each <= 4).then(|| (value << (16 - 4 * each) >> 8) as u8)
    };
    Some(Rgb::new(part(0)?, part(1)?, part(2)?))
}

/// One part of `rgb:`, stretched or cut to eight bits.
fn scaled(text: &str) -> Option<u8> {
    if text.is_empty() || text.len() > 4 || !text.is_ascii() {
        return None;
    }
    let value = u32::from_str_radix(text, 16).ok()?;
    let max = (1u32 << (4 * text.len())) - 1;
    Some((value * 255 / max) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn color_specifications() {
        assert_eq!(parse_color("rgb:ff/80/00"), Some(Rgb::new(255, 128, 0)));
        assert_eq!(parse_color("rgb:f/8/0"), Some(Rgb::new(255, 136, 0)));
        assert_eq!(parse_color("rgb:ffff/0000/8080"), Some(Rgb::new(255, 0, 128)));
        assert_eq!(parse_color("#102030"), Some(Rgb::new(0x10, 0x20, 0x30)));
        assert_eq!(parse_color("#fff"), Some(Rgb::new(0xf0, 0xf0, 0xf0)));
        for bad in ["rgb:ff/80", "rgb:ff/80/00/00", "#ff", "#gggggg", "red-ish", "#", "rgb:é/0/0"] {
            assert_eq!(parse_color(bad), None, "{bad}");
        }
    }
}
