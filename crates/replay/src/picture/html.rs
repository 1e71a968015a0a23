//! A frame as a self-contained HTML page: selectable and searchable text, no script.

use std::fmt::Write;

use vt::{Frame, Underline};

use super::{
    PictureOptions, escape,
    look::{PictureSpan, SpanLook, hex, page_colors, spans},
};

pub fn html(frame: &Frame, options: &PictureOptions) -> String {
    let (text, page) = page_colors(frame);
    let mut out = String::with_capacity(16 << 10);
    out.push_str("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>");
    escape::markup(options.title.as_deref().unwrap_or("terminal"), &mut out);
    write!(
        out,
        "</title>\n<style>\nbody {{ margin: 0; background: {page}; color: {text}; }}\n\
         pre {{ margin: 12px; font: 14px/1.2 ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; }}\n\
         pre span {{ white-space: pre; }}\n\
         .w {{ display: inline-block; text-align: center; overflow: hidden; vertical-align: bottom; }}\n\
         a {{ color: inherit; }}\n\
         .cursor {{ outline: 1px solid {cursor}; }}\n</style>\n<pre>",
        page = hex(page),
        text = hex(text),
        cursor = hex(frame.theme.cursor),
    )
    .expect("writing to a string");
    let cursor = (options.cursor && frame.cursor.visible).then_some(frame.cursor.position);
    for (row, line) in frame.rows.iter().enumerate() {
        let at = cursor.filter(|position| usize::from(position.row) == row).map(|position| u32::from(position.col));
        let mut end = 0;
        for span in spans(frame, line) {
            end = span.col + span.cols;
            with_cursor(&span, at, &mut out);
        }
        if let Some(col) = at.filter(|&col| col >= end) {
            out.extend(std::iter::repeat_n(' ', (col - end) as usize));
            out.push_str("<span class=\"cursor\"> </span>");
        }
        out.push('\n');
    }
    out.push_str("</pre>\n</html>\n");
    out
}

/// The span, split around the cursor if the cursor is in it.
fn with_cursor(span: &PictureSpan<'_>, at: Option<u32>, out: &mut String) {
    let Some(at) = at.filter(|at| (span.col..span.col + span.cols).contains(at)) else {
        return element(span, "", out);
    };
    if span.alone {
        return element(span, "cursor", out);
    }
    let cut = (at - span.col) as usize;
    let part = |range: std::ops::Range<usize>| PictureSpan {
        col: span.col + range.start as u32,
        cols: (range.end - range.start) as u32,
        text: &span.text[range],
        ..span.clone()
    };
    let parts = [(part(0..cut), ""), (part(cut..cut + 1), "cursor"), (part(cut + 1..span.text.len()), "")];
    for (part, class) in parts.iter().filter(|(part, _)| part.cols > 0) {
        element(part, class, out);
    }
}

fn element(span: &PictureSpan<'_>, class: &str, out: &mut String) {
    let PictureSpan { look, text, .. } = span;
    if let Some(uri) = look.link {
        out.push_str("<a rel=\"noopener noreferrer\" href=\"");
        escape::markup(uri, out);
        out.push_str("\">");
    }
    out.push_str("<span");
    let class = [class, if span.alone { "w" } else { "" }].join(" ");
    if !class.trim().is_empty() {
        write!(out, " class=\"{}\"", class.trim()).expect("writing to a string");
    }
    write!(out, " style=\"{}\">", style(span, look)).expect("writing to a string");
    escape::markup(text, out);
    out.push_str("</span>");
    if look.link.is_some() {
        out.push_str("</a>");
    }
}

fn style(span: &PictureSpan<'_>, look: &SpanLook<'_>) -> String {
    let mut css = format!("color:{}", hex(look.foreground));
    if let Some(color) = look.background {
        css.push_str(&format!(";background:{}", hex(color)));
    }
    if look.bold {
        css.push_str(";font-weight:bold");
    }
    if look.italic {
        css.push_str(";font-style:italic");
    }
    if span.alone {
        css.push_str(&format!(";width:{}ch", span.cols));
    }
    let lines =
        [(look.underline != Underline::None, "underline"), (look.overline, "overline"), (look.strike, "line-through")];
    let lines: Vec<&str> = lines.into_iter().filter_map(|(on, name)| on.then_some(name)).collect();
    if !lines.is_empty() {
        let shape = match look.underline {
            Underline::Double => "double",
            Underline::Curly => "wavy",
            Underline::Dotted => "dotted",
            Underline::Dashed => "dashed",
            Underline::None | Underline::Single => "solid",
        };
        css.push_str(&format!(";text-decoration:{} {shape} {}", lines.join(" "), hex(look.underline_color)));
    }
    css
}
