//! Converts a row to spans that can be drawn without a terminal: colours by value, with inversion and dimming applied.

use vt::{Attributes, Color, Frame, Line, Rgb, RunShape, StyleRun, Underline};

/// Neighbouring cells of one look, or a single cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PictureSpan<'a> {
    pub(crate) col: u32,
    pub(crate) cols: u32,
    pub(crate) text: &'a str,
    /// A cluster that is drawn cell by cell, since its width depends on the font.
    pub(crate) alone: bool,
    pub(crate) look: SpanLook<'a>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SpanLook<'a> {
    pub(crate) foreground: Rgb,
    /// `None` where the page's background shows through.
    pub(crate) background: Option<Rgb>,
    pub(crate) bold: bool,
    pub(crate) italic: bool,
    pub(crate) strike: bool,
    pub(crate) overline: bool,
    pub(crate) underline: Underline,
    pub(crate) underline_color: Rgb,
    /// The target of a link that is safe to follow.
    pub(crate) link: Option<&'a str>,
}

/// The screen's text and background colours, with DECSCNM applied.
pub(crate) fn page_colors(frame: &Frame) -> (Rgb, Rgb) {
    let (text, page) = (frame.theme.foreground, frame.theme.background);
    if frame.reverse_video { (page, text) } else { (text, page) }
}

pub(crate) fn spans<'a>(frame: &'a Frame, line: &'a Line) -> impl Iterator<Item = PictureSpan<'a>> {
    let mut rest = line.text();
    let mut col = 0;
    line.runs().iter().flat_map(move |run| {
        let (text, after) = rest.split_at(run.bytes as usize);
        rest = after;
        let start = col;
        col += run.cols;
        spans_of(frame, run, text, start)
    })
}

fn spans_of<'a>(frame: &Frame, run: &'a StyleRun, text: &'a str, col: u32) -> Vec<PictureSpan<'a>> {
    let look = look(frame, run);
    let whole = |alone| vec![PictureSpan { col, cols: run.cols, text, alone, look: look.clone() }];
    match run.shape {
        RunShape::Blank => whole(false),
        RunShape::Cluster | RunShape::WideCluster => whole(true),
        RunShape::Narrow if text.is_ascii() => whole(false),
        RunShape::Narrow | RunShape::Wide => {
            let cols = if run.shape == RunShape::Wide { 2 } else { 1 };
            text.char_indices()
                .enumerate()
                .map(|(index, (byte, c))| PictureSpan {
                    col: col + index as u32 * cols,
                    cols,
                    text: &text[byte..byte + c.len_utf8()],
                    alone: true,
                    look: look.clone(),
                })
                .collect()
        }
    }
}

fn look<'a>(frame: &Frame, run: &'a StyleRun) -> SpanLook<'a> {
    let style = &run.style;
    let has = |attribute| style.attributes.contains(attribute);
    let (text, page) = page_colors(frame);
    // Bold text in one of the eight colours uses the bright variant, as in terminals.
    let bright = match style.foreground {
        Color::Indexed(index @ 0..8) if has(Attributes::BOLD) => Color::Indexed(index + 8),
        other => other,
    };
    let mut foreground = frame.theme.resolve(bright).unwrap_or(text);
    let mut background = frame.theme.resolve(style.background);
    if has(Attributes::INVERSE) {
        let behind = background.unwrap_or(page);
        background = Some(foreground);
        foreground = behind;
    }
    if has(Attributes::DIM) {
        foreground = halfway(foreground, background.unwrap_or(page));
    }
    if has(Attributes::INVISIBLE) {
        foreground = background.unwrap_or(page);
    }
    SpanLook {
        foreground,
        background,
        bold: has(Attributes::BOLD),
        italic: has(Attributes::ITALIC),
        strike: has(Attributes::STRIKE),
        overline: has(Attributes::OVERLINE),
        underline: style.underline,
        underline_color: frame.theme.resolve(style.underline_color).unwrap_or(foreground),
        link: run.link.as_ref().map(|link| link.uri.as_str()).filter(|uri| super::escape::is_safe_link(uri)),
    }
}

fn halfway(one: Rgb, other: Rgb) -> Rgb {
    let mean = |a: u8, b: u8| a.midpoint(b);
    Rgb::new(mean(one.r, other.r), mean(one.g, other.g), mean(one.b, other.b))
}

pub(crate) fn hex(color: Rgb) -> String {
    format!("#{:02x}{:02x}{:02x}", color.r, color.g, color.b)
}
