//! SGR: colours and attributes, in the semicolon and the colon syntax.

use super::TerminalState;
use crate::{
    color::Color,
    params::SequenceParams,
    style::{Attributes, Style, Underline},
};

impl TerminalState {
    #[inline]
    pub(super) fn set_graphics(&mut self, params: &SequenceParams) {
        self.pen_id = None;
        apply(&mut self.pen, params);
    }

    /// The parameters that set the pen to its present state, for DECRQSS and re-serialisation.
    pub(super) fn graphics(style: &Style) -> String {
        let mut out = String::from("0");
        let attributes = style.attributes;
        for (attribute, code) in [
            (Attributes::BOLD, ";1"),
            (Attributes::DIM, ";2"),
            (Attributes::ITALIC, ";3"),
            (Attributes::BLINK, ";5"),
            (Attributes::RAPID_BLINK, ";6"),
            (Attributes::INVERSE, ";7"),
            (Attributes::INVISIBLE, ";8"),
            (Attributes::STRIKE, ";9"),
            (Attributes::OVERLINE, ";53"),
        ] {
            if attributes.contains(attribute) {
                out.push_str(code);
            }
        }
        out.push_str(match style.underline {
            Underline::None => "",
            Underline::Single => ";4",
            Underline::Double => ";4:2",
            Underline::Curly => ";4:3",
            Underline::Dotted => ";4:4",
            Underline::Dashed => ";4:5",
        });
        push_color(&mut out, style.foreground, 30);
        push_color(&mut out, style.background, 40);
        match style.underline_color {
            Color::Default => {}
            Color::Indexed(index) => out.push_str(&format!(";58:5:{index}")),
            Color::Rgb(r, g, b) => out.push_str(&format!(";58:2::{r}:{g}:{b}")),
        }
        out
    }
}

fn push_color(out: &mut String, color: Color, base: u16) {
    match color {
        Color::Default => {}
        Color::Indexed(index @ 0..=7) => out.push_str(&format!(";{}", base + u16::from(index))),
        Color::Indexed(index @ 8..=15) => out.push_str(&format!(";{}", base + 60 - 8 + u16::from(index))),
        Color::Indexed(index) => out.push_str(&format!(";{}:5:{index}", base + 8)),
        Color::Rgb(r, g, b) => out.push_str(&format!(";{}:2::{r}:{g}:{b}", base + 8)),
    }
}

fn apply(pen: &mut Style, params: &SequenceParams) {
    let len = params.len().max(1);
    let mut index = 0;
    while index < len {
        let code = params.get(index);
        let subs = if params.any_sub() { (index + 1..len).take_while(|&at| params.is_sub(at)).count() } else { 0 };
        match code {
            38 | 48 | 58 => {
                let (color, used) = if subs > 0 {
                    (colon_color(params, index + 1, subs), subs)
                } else {
                    semicolon_color(params, index + 1, len)
                };
                if let Some(color) = color {
                    match code {
                        38 => pen.foreground = color,
                        48 => pen.background = color,
                        _ => pen.underline_color = color,
                    }
                }
                index += 1 + used;
                continue;
            }
            4 if subs > 0 => pen.underline = underline(params.get(index + 1)).unwrap_or(pen.underline),
            _ if subs > 0 => {}
            _ => apply_one(pen, code),
        }
        index += 1 + subs;
    }
}

#[inline]
fn apply_one(pen: &mut Style, code: u16) {
    let attributes = &mut pen.attributes;
    match code {
        0 => {
            // SGR 0 resets neither hyperlinks nor protection.
            let kept = pen.attributes & (Attributes::PROTECTED | Attributes::GUARDED);
            *pen = Style { link: pen.link, attributes: kept, ..Style::default() };
        }
        1 => attributes.insert(Attributes::BOLD),
        2 => attributes.insert(Attributes::DIM),
        3 => attributes.insert(Attributes::ITALIC),
        4 => pen.underline = Underline::Single,
        5 => attributes.insert(Attributes::BLINK),
        6 => attributes.insert(Attributes::RAPID_BLINK),
        7 => attributes.insert(Attributes::INVERSE),
        8 => attributes.insert(Attributes::INVISIBLE),
        9 => attributes.insert(Attributes::STRIKE),
        21 => pen.underline = Underline::Double,
        22 => attributes.remove(Attributes::BOLD | Attributes::DIM),
        23 => attributes.remove(Attributes::ITALIC),
        24 => pen.underline = Underline::None,
        25 => attributes.remove(Attributes::BLINK | Attributes::RAPID_BLINK),
        27 => attributes.remove(Attributes::INVERSE),
        28 => attributes.remove(Attributes::INVISIBLE),
        29 => attributes.remove(Attributes::STRIKE),
        30..=37 => pen.foreground = Color::Indexed((code - 30) as u8),
        39 => pen.foreground = Color::Default,
        40..=47 => pen.background = Color::Indexed((code - 40) as u8),
        49 => pen.background = Color::Default,
        53 => attributes.insert(Attributes::OVERLINE),
        55 => attributes.remove(Attributes::OVERLINE),
        59 => pen.underline_color = Color::Default,
        90..=97 => pen.foreground = Color::Indexed((code - 90 + 8) as u8),
        100..=107 => pen.background = Color::Indexed((code - 100 + 8) as u8),
        _ => {}
    }
}

fn underline(style: u16) -> Option<Underline> {
    Some(match style {
        0 => Underline::None,
        1 => Underline::Single,
        2 => Underline::Double,
        3 => Underline::Curly,
        4 => Underline::Dotted,
        5 => Underline::Dashed,
        _ => return None,
    })
}

/// `38:5:n`, `38:2:r:g:b` and `38:2:space:r:g:b`.
fn colon_color(params: &SequenceParams, first: usize, count: usize) -> Option<Color> {
    match (params.get(first), count) {
        (5, 2..) => indexed(params.get(first + 1)),
        (2, 4) => rgb(params, first + 1),
        (2, 5..) => rgb(params, first + 2),
        _ => None,
    }
}

/// `38;5;n` and `38;2;r;g;b`, and the number of parameters consumed. A malformed one consumes the rest.
fn semicolon_color(params: &SequenceParams, first: usize, len: usize) -> (Option<Color>, usize) {
    match params.get(first) {
        5 if first + 1 < len => (indexed(params.get(first + 1)), 2),
        2 if first + 3 < len => (rgb(params, first + 1), 4),
        _ => (None, len - first),
    }
}

fn indexed(value: u16) -> Option<Color> {
    u8::try_from(value).ok().map(Color::Indexed)
}

fn rgb(params: &SequenceParams, first: usize) -> Option<Color> {
    let part = |offset| u8::try_from(params.get(first + offset)).ok();
    Some(Color::Rgb(part(0)?, part(1)?, part(2)?))
}
