//! A frame as SVG. Every span is stretched to its columns, so the grid holds with any font.

use std::fmt::Write;

use vt::{CursorShape, Frame, Rgb, Underline};

use super::{
    PictureOptions, escape,
    look::{PictureSpan, SpanLook, hex, page_colors, spans},
};

const CELL_WIDTH: f32 = 8.4;
const CELL_HEIGHT: f32 = 17.0;
const FONT_SIZE: f32 = 14.0;
/// The distance from a cell's top to the text's baseline.
const BASELINE: f32 = 13.2;
const PADDING: f32 = 12.0;
const TITLE_HEIGHT: f32 = 28.0;
const FONTS: &str = "ui-monospace,'DejaVu Sans Mono','Liberation Mono',Menlo,Consolas,monospace";

pub fn svg(frame: &Frame, options: &PictureOptions) -> String {
    let (text, page) = page_colors(frame);
    let top = PADDING + if options.title.is_some() { TITLE_HEIGHT } else { 0.0 };
    let width = f32::from(frame.size.cols) * CELL_WIDTH + 2.0 * PADDING;
    let height = f32::from(frame.size.rows) * CELL_HEIGHT + top + PADDING;
    let mut picture = SvgPicture { out: String::with_capacity(16 << 10), top };
    picture.write(format_args!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.1}\" height=\"{height:.1}\" \
         viewBox=\"0 0 {width:.1} {height:.1}\" font-family=\"{FONTS}\" font-size=\"{FONT_SIZE}\" role=\"img\">\n"
    ));
    picture.title(options.title.as_deref());
    picture.write(format_args!(
        "<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{}\"/>\n<g fill=\"{}\">\n",
        hex(page),
        hex(text)
    ));
    if let Some(title) = &options.title {
        let mut shown = String::new();
        escape::markup(title, &mut shown);
        picture.write(format_args!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" opacity=\"0.7\">{shown}</text>\n",
            width / 2.0,
            TITLE_HEIGHT - 4.0
        ));
    }
    for (row, line) in frame.rows.iter().enumerate() {
        for span in spans(frame, line) {
            picture.background(row, &span);
        }
        for span in spans(frame, line) {
            picture.text(row, &span, text);
        }
    }
    if options.cursor && frame.cursor.visible {
        picture.cursor(frame);
    }
    picture.out.push_str("</g>\n</svg>\n");
    picture.out
}

struct SvgPicture {
    out: String,
    /// The space above the first row.
    top: f32,
}

impl SvgPicture {
    fn write(&mut self, arguments: std::fmt::Arguments<'_>) {
        self.out.write_fmt(arguments).expect("writing to a string");
    }

    /// The title for screen readers.
    fn title(&mut self, title: Option<&str>) {
        if let Some(title) = title {
            self.out.push_str("<title>");
            escape::markup(title, &mut self.out);
            self.out.push_str("</title>\n");
        }
    }

    fn place(&self, row: usize, col: u32) -> (f32, f32) {
        (PADDING + col as f32 * CELL_WIDTH, self.top + row as f32 * CELL_HEIGHT)
    }

    fn background(&mut self, row: usize, span: &PictureSpan<'_>) {
        let Some(color) = span.look.background else { return };
        let (x, y) = self.place(row, span.col);
        let width = span.cols as f32 * CELL_WIDTH;
        // Slightly larger than the cells, to leave no seams between neighbours.
        self.write(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"{}\"/>\n",
            width + 0.2,
            CELL_HEIGHT + 0.2,
            hex(color)
        ));
    }

    fn text(&mut self, row: usize, span: &PictureSpan<'_>, default: Rgb) {
        let (x, y) = self.place(row, span.col);
        let width = span.cols as f32 * CELL_WIDTH;
        self.decorations(x, y, width, &span.look);
        if span.text.trim_matches(' ').is_empty() {
            return;
        }
        if let Some(uri) = span.look.link {
            self.out.push_str("<a href=\"");
            escape::markup(uri, &mut self.out);
            self.out.push_str("\">");
        }
        let baseline = y + BASELINE;
        if span.alone {
            // Marks and emoji keep their natural width: they are centred instead of stretched.
            let middle = x + width / 2.0;
            self.write(format_args!("<text x=\"{middle:.1}\" y=\"{baseline:.1}\" text-anchor=\"middle\""));
        } else {
            self.write(format_args!(
                "<text x=\"{x:.1}\" y=\"{baseline:.1}\" textLength=\"{width:.1}\" lengthAdjust=\"spacingAndGlyphs\""
            ));
        }
        if span.look.foreground != default {
            self.write(format_args!(" fill=\"{}\"", hex(span.look.foreground)));
        }
        if span.look.bold {
            self.out.push_str(" font-weight=\"bold\"");
        }
        if span.look.italic {
            self.out.push_str(" font-style=\"italic\"");
        }
        self.out.push_str(" xml:space=\"preserve\">");
        escape::markup(span.text, &mut self.out);
        self.out.push_str("</text>");
        if span.look.link.is_some() {
            self.out.push_str("</a>");
        }
        self.out.push('\n');
    }

    fn decorations(&mut self, x: f32, y: f32, width: f32, look: &SpanLook<'_>) {
        let under = y + BASELINE + 2.0;
        let color = hex(look.underline_color);
        match look.underline {
            Underline::None => {}
            Underline::Single => self.line(x, under, width, &color, ""),
            Underline::Double => {
                self.line(x, under - 0.8, width, &color, "");
                self.line(x, under + 1.2, width, &color, "");
            }
            Underline::Dotted => self.line(x, under, width, &color, " stroke-dasharray=\"1 2\""),
            Underline::Dashed => self.line(x, under, width, &color, " stroke-dasharray=\"4 2\""),
            Underline::Curly => {
                self.write(format_args!("<path d=\"M{x:.1} {under:.1}"));
                for half in 0..(width / (CELL_WIDTH / 2.0)).round() as u32 {
                    let bend = if half % 2 == 0 { -2.2 } else { 2.2 };
                    self.write(format_args!("q{:.2} {bend} {:.2} 0", CELL_WIDTH / 4.0, CELL_WIDTH / 2.0));
                }
                self.write(format_args!("\" fill=\"none\" stroke=\"{color}\"/>\n"));
            }
        }
        let text = hex(look.foreground);
        if look.strike {
            self.line(x, y + CELL_HEIGHT / 2.0 + 0.5, width, &text, "");
        }
        if look.overline {
            self.line(x, y + 0.5, width, &text, "");
        }
    }

    fn line(&mut self, x: f32, y: f32, width: f32, color: &str, dashes: &str) {
        self.write(format_args!("<path d=\"M{x:.1} {y:.1}h{width:.1}\" stroke=\"{color}\"{dashes}/>\n"));
    }

    fn cursor(&mut self, frame: &Frame) {
        let position = frame.cursor.position;
        let (x, y) = self.place(usize::from(position.row), u32::from(position.col));
        let color = hex(frame.theme.cursor);
        let (y, width, height) = match frame.cursor.shape {
            CursorShape::Block => (y, CELL_WIDTH, CELL_HEIGHT),
            CursorShape::Underline => (y + CELL_HEIGHT - 2.0, CELL_WIDTH, 2.0),
            CursorShape::Bar => (y, 1.5, CELL_HEIGHT),
        };
        self.write(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{color}\" opacity=\"0.6\"/>\n"
        ));
    }
}
