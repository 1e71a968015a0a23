//! Whatever was shown before, the bytes make the host show the canvas.

use proptest::prelude::*;
use tui::{BoxLines, Canvas, CanvasCursor, CanvasWriter, CellLink, ColorDepth, Rect, Span, WriterOptions};
use vt::{Attributes, Color, CursorShape, Position, Size, Style, Underline};

use crate::screen::{assert_same, of_canvas, of_frame, terminal};

/// One thing to draw, anywhere.
#[derive(Clone, Debug)]
enum Stroke {
    Text { row: u16, col: u16, text: String, style: Style, link: Option<(String, String)> },
    Fill(Rect, Style),
    Box(Rect, Style),
    Cursor(Option<(u16, u16, CursorShape, bool)>),
}

fn color() -> impl Strategy<Value = Color> {
    prop_oneof![
        3 => Just(Color::Default),
        2 => any::<u8>().prop_map(Color::Indexed),
        1 => any::<(u8, u8, u8)>().prop_map(|(r, g, b)| Color::Rgb(r, g, b)),
    ]
}

fn style() -> impl Strategy<Value = Style> {
    let underlines = vec![
        Underline::None,
        Underline::None,
        Underline::Single,
        Underline::Double,
        Underline::Curly,
        Underline::Dotted,
        Underline::Dashed,
    ];
    let attributes = (any::<u16>(), any::<u16>()).prop_map(|(a, b)| Attributes::from_bits_truncate(a & b & 0x1ff));
    let full = (color(), color(), color(), prop::sample::select(underlines), attributes).prop_map(
        |(foreground, background, underline_color, underline, attributes)| Style {
            foreground,
            background,
            underline_color,
            underline,
            attributes,
            link: None,
        },
    );
    prop_oneof![1 => Just(Style::default()), 2 => full]
}

fn text() -> impl Strategy<Value = String> {
    let clusters = vec![
        "a",
        "b",
        " ",
        "   ",
        "          ",
        "漢",
        "字",
        "é",
        "e\u{301}",
        "😀",
        "👩\u{200d}👧",
        "🇩🇪",
        "🇩",
        "❤",
        "❤\u{fe0f}",
        "─",
        "│",
        "\u{e0b0}",
        "\u{301}",
        "\t",
        "\u{1b}",
        "1\u{fe0f}\u{20e3}",
        "가",
        "ｶ",
        "क्षि",
        "\u{600}a",
        "☝🏽",
    ];
    prop::collection::vec(prop::sample::select(clusters), 0..12).prop_map(|pieces| pieces.concat())
}

fn rect() -> impl Strategy<Value = Rect> {
    (0u16..22, 0u16..7, 0u16..22, 0u16..7).prop_map(|(col, row, cols, rows)| Rect::new(col, row, cols, rows))
}

fn stroke() -> impl Strategy<Value = Stroke> {
    let link = prop::option::of((
        prop::sample::select(vec!["", "1", "two"]),
        prop::sample::select(vec!["http://a/", "file:///b;c"]),
    ))
    .prop_map(|link| link.map(|(id, uri)| (id.to_owned(), uri.to_owned())));
    let shapes = prop::sample::select(vec![CursorShape::Block, CursorShape::Underline, CursorShape::Bar]);
    prop_oneof![
        6 => (0u16..7, 0u16..22, text(), style(), link)
            .prop_map(|(row, col, text, style, link)| Stroke::Text { row, col, text, style, link }),
        2 => (rect(), style()).prop_map(|(area, style)| Stroke::Fill(area, style)),
        1 => (rect(), style()).prop_map(|(area, style)| Stroke::Box(area, style)),
        1 => prop::option::of((0u16..7, 0u16..22, shapes, any::<bool>())).prop_map(Stroke::Cursor),
    ]
}

fn draw(canvas: &mut Canvas, stroke: &Stroke) {
    let all = Rect::of(canvas.size());
    match stroke {
        Stroke::Text { row, col, text, style, link } => {
            let mut span = Span::new(text.as_str(), *style);
            span.link = link.as_ref().map(|(id, uri)| CellLink { id: id.clone(), uri: uri.clone() }.into());
            let area = Rect::new(*col, *row, all.cols.saturating_sub(*col), 1);
            canvas.draw_text(all, Position { row: *row, col: *col }, text, *style);
            canvas.draw_line(Rect { cols: area.cols.min(9), ..area }, 0, &[span], *style);
        }
        Stroke::Fill(area, style) => canvas.fill(*area, *style),
        Stroke::Box(area, style) => canvas.draw_box(*area, BoxLines::ROUND, *style, &[Span::new("漢", *style)]),
        Stroke::Cursor(cursor) => canvas.set_cursor(cursor.map(|(row, col, shape, blinking)| CanvasCursor {
            position: Position { row, col },
            shape,
            blinking,
        })),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn the_host_shows_the_canvas(
        pictures in prop::collection::vec(prop::collection::vec(stroke(), 0..10), 1..6),
        synchronized in any::<bool>(),
        narrow_ambiguous in any::<bool>(),
    ) {
        let size = Size::new(20, 6);
        let mut host = terminal(size);
        host.feed(b"\x1b[31;44mleft by others\x1b[3;3H\x1b[1mmore");
        let mut canvas = Canvas::new(size);
        let mut writer = CanvasWriter::new(WriterOptions { synchronized, narrow_ambiguous, ..WriterOptions::default() });
        for strokes in &pictures {
            strokes.iter().for_each(|stroke| draw(&mut canvas, stroke));
            let bytes = writer.frame(&canvas).to_vec();
            host.feed(&bytes);
            assert_same(&of_frame(&host.frame()), &of_canvas(&canvas), &format!("{:?}", String::from_utf8_lossy(&bytes)));
            let cursor = host.cursor();
            prop_assert_eq!(cursor.visible, canvas.cursor().is_some());
            if let Some(wanted) = canvas.cursor() {
                prop_assert_eq!((cursor.position, cursor.shape, cursor.blinking), (wanted.position, wanted.shape, wanted.blinking));
            }
            prop_assert!(writer.frame(&canvas).is_empty(), "nothing changed, so nothing is written");
        }
    }

    #[test]
    fn from_any_canvas_to_any_other(
        before in prop::collection::vec(stroke(), 0..12),
        after in prop::collection::vec(stroke(), 0..12),
    ) {
        let size = Size::new(20, 6);
        let mut host = terminal(size);
        let mut writer = CanvasWriter::new(WriterOptions::default());
        for strokes in [before, after] {
            let mut canvas = Canvas::new(size);
            strokes.iter().for_each(|stroke| draw(&mut canvas, stroke));
            writer.look_again();
            host.feed(writer.frame(&canvas));
            assert_same(&of_frame(&host.frame()), &of_canvas(&canvas), "another canvas");
        }
    }

    /// Emoji that the host draws in one column less or more move nothing but themselves.
    #[test]
    fn rows_never_shear(text in text(), tail in "[a-z]{1,6}") {
        let size = Size::new(160, 1);
        let mut canvas = Canvas::new(size);
        let end = canvas.draw_text(Rect::of(size), Position::default(), &text, Style::default());
        // A sign between, for a host that draws the last cluster wider covers what stands next to it.
        canvas.draw_text(Rect::of(size), Position { row: 0, col: end + 1 }, &tail, Style::default());
        // This host knows no clusters: joined emoji and flags fall apart there.
        let mut host = terminal(size);
        host.feed(b"\x1b[?2027l");
        host.feed(CanvasWriter::new(WriterOptions::default()).frame(&canvas));
        let shown = of_frame(&host.frame());
        let start = usize::from(end) + 1;
        let seen: String = shown[0][start..start + tail.len()].iter().map(|cell| cell.text.as_str()).collect();
        prop_assert_eq!(seen, tail);
    }
}

#[test]
fn nothing_is_written_when_nothing_changed() {
    let mut canvas = Canvas::new(Size::new(80, 24));
    let mut writer = CanvasWriter::new(WriterOptions::default());
    assert!(!writer.frame(&canvas).is_empty(), "the first frame clears the host");
    assert!(writer.frame(&canvas).is_empty());
    canvas.draw_text(Rect::new(0, 0, 80, 24), Position::default(), "x", Style::default());
    assert_eq!(writer.frame(&canvas), b"\x1b[?2026hx\x1b[?2026l");
    canvas.draw_text(Rect::new(0, 0, 80, 24), Position::default(), "x", Style::default());
    assert!(writer.frame(&canvas).is_empty());
    assert_eq!((writer.frames(), writer.bytes()), (2, 56));
}

#[test]
fn a_typed_character_costs_a_few_bytes() {
    let mut canvas = Canvas::new(Size::new(120, 40));
    let mut writer = CanvasWriter::new(WriterOptions { narrow_ambiguous: true, ..WriterOptions::default() });
    let area = Rect::new(0, 0, 120, 40);
    canvas.draw_box(area, BoxLines::ROUND, Style::default(), &[]);
    let cursor =
        |col| Some(CanvasCursor { position: Position { row: 20, col }, shape: CursorShape::Bar, blinking: true });
    canvas.set_cursor(cursor(10));
    let first = writer.frame(&canvas).len();
    assert!(first < 1500, "a box around the screen took {first} bytes");
    canvas.draw_text(area, Position { row: 20, col: 10 }, "k", Style::default());
    canvas.set_cursor(cursor(11));
    assert_eq!(writer.frame(&canvas), b"\x1b[?2026hk\x1b[?2026l");
}

#[test]
fn hosts_with_fewer_colours_get_the_nearest() {
    let mut canvas = Canvas::new(Size::new(4, 1));
    let style = Style {
        foreground: Color::Rgb(255, 0, 0),
        underline: Underline::Curly,
        underline_color: Color::Rgb(1, 2, 3),
        ..Style::default()
    };
    canvas.draw_text(Rect::new(0, 0, 4, 1), Position::default(), "x", style);
    let bytes = |depth, underline_styles| {
        let options = WriterOptions { depth, underline_styles, synchronized: false, ..WriterOptions::default() };
        let mut writer = CanvasWriter::new(options);
        let bytes = String::from_utf8(writer.frame(&canvas).to_vec()).unwrap();
        bytes.split_once("\x1b[2J").unwrap().1.to_owned()
    };
    assert_eq!(bytes(ColorDepth::TrueColor, true), "\x1b[4:3;38;2;255;0;0;58:2::1:2:3mx");
    assert_eq!(bytes(ColorDepth::Palette256, true), "\x1b[4:3;38;5;196;58:5:16mx");
    assert_eq!(bytes(ColorDepth::Ansi16, false), "\x1b[4;91mx");
    assert_eq!(bytes(ColorDepth::None, false), "\x1b[4mx");
}

#[test]
fn a_new_size_starts_over() {
    let mut writer = CanvasWriter::new(WriterOptions::default());
    let mut canvas = Canvas::new(Size::new(10, 2));
    writer.frame(&canvas);
    canvas.resize(Size::new(12, 3));
    canvas.draw_text(Rect::new(0, 0, 12, 3), Position { row: 2, col: 9 }, "end", Style::default());
    let mut host = terminal(Size::new(12, 3));
    host.feed(b"old\r\nold\r\nold");
    host.feed(writer.frame(&canvas));
    assert_same(&of_frame(&host.frame()), &of_canvas(&canvas), "the new size");
}
