//! Panes are drawn exactly: recordings of real programs, shown through canvas and writer, give their own screen.

use std::{fs, path::Path, sync::Arc};

use tui::{Canvas, CanvasWriter, PaneMark, PaneView, Rect, Span, WriterOptions};
use vt::{Attributes, Color, Position, Size, Style};

use crate::screen::{assert_same, of_canvas, of_frame, part, terminal};

/// Bytes between two frames.
const STEP: usize = 1500;

fn recordings() -> Vec<(String, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/recordings");
    let mut found = Vec::new();
    for folder in ["programs", "agents"] {
        for entry in fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "raw") {
                found.push((path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(path).unwrap()));
            }
        }
    }
    assert!(found.len() > 20, "the recordings are there");
    found
}

#[test]
fn recordings_look_as_they_do_bare() {
    let host_size = Size::new(130, 44);
    let area = Rect::new(7, 2, 100, 36);
    let (mut bytes, mut frames) = (0, 0);
    for (name, recording) in recordings() {
        let mut child = terminal(area.size());
        let mut host = terminal(host_size);
        let mut canvas = Canvas::new(host_size);
        let mut writer = CanvasWriter::new(WriterOptions::default());
        for (step, chunk) in recording.chunks(STEP).enumerate() {
            child.feed(chunk);
            let frame = child.frame();
            // Something beside the pane, on the same rows, that changes too.
            let beside = Rect::new(110, 0, 20, 44);
            for row in 0..44 {
                canvas.draw_line(
                    beside,
                    row,
                    &[Span::new(format!("│ {step} ├─ {row}"), Style::default())],
                    Style::default(),
                );
            }
            let cursor = PaneView::frame(&frame).draw(&mut canvas, area, 1);
            canvas.set_cursor(cursor);
            host.feed(writer.frame(&canvas));
            let shown = host.frame();
            let what = format!("{name} after {} bytes", (step + 1) * STEP);
            assert_same(&part(&of_frame(&shown), area), &of_frame(&frame), &what);
            assert_same(&of_frame(&shown), &of_canvas(&canvas), &what);
            assert_eq!(shown.cursor.visible, frame.cursor.visible, "{what}");
            if frame.cursor.visible {
                let Position { row, col } = frame.cursor.position;
                assert_eq!(shown.cursor.position, Position { row: row + area.row, col: col + area.col }, "{what}");
                assert_eq!((shown.cursor.shape, shown.cursor.blinking), (frame.cursor.shape, frame.cursor.blinking));
            }
        }
        bytes += writer.bytes();
        frames += writer.frames();
    }
    println!("{frames} frames, {} bytes a frame", bytes / frames);
}

#[test]
fn a_pane_drawn_again_looks_as_if_drawn_afresh() {
    let size = Size::new(100, 36);
    // Whole, and a part whose edges cut through wide characters.
    let views =
        [(Rect::new(0, 0, 100, 36), Position::default()), (Rect::new(3, 0, 40, 36), Position { row: 0, col: 31 })];
    for (name, recording) in recordings() {
        let mut child = terminal(size);
        let mut kept = views.map(|_| Canvas::new(size));
        for chunk in recording.chunks(STEP) {
            child.feed(chunk);
            let frame = child.frame();
            for (canvas, (area, offset)) in kept.iter_mut().zip(views) {
                let view = PaneView::frame(&frame).cropped(offset);
                let mut fresh = Canvas::new(size);
                assert_eq!(view.draw(canvas, area, 1), view.draw(&mut fresh, area, 1), "{name}");
                assert_same(&of_canvas(canvas), &of_canvas(&fresh), &name);
            }
        }
    }
}

#[test]
fn rows_that_stood_still_are_not_drawn_again() {
    let mut child = terminal(Size::new(20, 3));
    child.feed(b"one\r\ntwo\r\nthree");
    let mut canvas = Canvas::new(Size::new(30, 3));
    let area = Rect::new(0, 0, 20, 3);
    let before = child.frame();
    PaneView::frame(&before).draw(&mut canvas, area, 1);
    // Someone else draws over a row; the pane takes it back, and only it.
    canvas.draw_text(area, Position { row: 1, col: 0 }, "modal", Style::default());
    PaneView::frame(&before).draw(&mut canvas, area, 1);
    assert_eq!(canvas.text(), "one\ntwo\nthree\n");
    let mut writer = CanvasWriter::new(WriterOptions::default());
    writer.frame(&canvas);
    child.feed(b"!");
    PaneView::frame(&child.frame()).draw(&mut canvas, area, 1);
    assert_eq!(writer.frame(&canvas), b"\x1b[?2026h!\x1b[?2026l");
}

#[test]
fn a_crop_shows_the_part_around_the_cursor() {
    let mut child = terminal(Size::new(12, 6));
    child.feed("0 漢字234567\r\n1\r\n2\r\n3\r\n4\r\n5 abcdefgh".as_bytes());
    let frame = child.frame();
    let area = Rect::new(1, 0, 5, 3);
    let offset = PaneView::offset_for(&frame, area);
    assert_eq!(offset, Position { row: 3, col: 6 });
    let mut canvas = Canvas::new(Size::new(7, 3));
    let cursor = PaneView::frame(&frame).cropped(offset).draw(&mut canvas, area, 1).unwrap();
    assert_eq!(canvas.text(), "\n\n efgh\n");
    assert_eq!(cursor.position, Position { row: 2, col: 5 });
    // Half of a wide character is a blank, on either side.
    PaneView::frame(&frame).cropped(Position { row: 0, col: 3 }).draw(&mut canvas, Rect::new(0, 0, 2, 1), 2);
    assert_eq!(canvas.text().lines().next(), Some(""));
    PaneView::frame(&frame).cropped(Position { row: 0, col: 3 }).draw(&mut canvas, Rect::new(0, 0, 3, 1), 2);
    assert_eq!(canvas.text().lines().next(), Some(" 字"));
}

#[test]
fn another_crop_moves_every_row() {
    let mut child = terminal(Size::new(12, 2));
    child.feed(b"0123456789ab\r\nABCDEFGHIJKL");
    let frame = child.frame();
    let mut canvas = Canvas::new(Size::new(5, 2));
    let area = Rect::new(0, 0, 5, 2);
    PaneView::frame(&frame).draw(&mut canvas, area, 1);
    assert_eq!(canvas.text(), "01234\nABCDE\n");
    PaneView::frame(&frame).cropped(Position { row: 0, col: 7 }).draw(&mut canvas, area, 1);
    assert_eq!(canvas.text(), "789ab\nHIJKL\n");
}

#[test]
fn marks_dimming_and_reverse_video_change_the_look() {
    let mut child = terminal(Size::new(6, 2));
    child.feed(b"\x1b[?5hab\x1b[31mcd");
    let frame = child.frame();
    let mut canvas = Canvas::new(Size::new(6, 2));
    let marks = [PaneMark { row: 0, cols: 1..3, style: Style { background: Color::Indexed(4), ..Style::default() } }];
    PaneView::frame(&frame).dimmed(true).marked(&marks).draw(&mut canvas, Rect::new(0, 0, 6, 2), 1);
    let look = |col| canvas.cell(Position { row: 0, col }).unwrap().style();
    assert_eq!(look(0).attributes, Attributes::INVERSE | Attributes::DIM);
    assert_eq!((look(1).background, look(1).attributes), (Color::Indexed(4), Attributes::DIM));
    assert_eq!((look(2).foreground, look(2).background), (Color::Indexed(1), Color::Indexed(4)));
    assert_eq!(look(5).attributes, Attributes::INVERSE | Attributes::DIM);
}

#[test]
fn colours_that_the_child_redefined_are_drawn_by_value() {
    let mut child = terminal(Size::new(4, 1));
    let host = Arc::clone(&child.frame().theme);
    child.feed(b"\x1b]4;1;rgb:12/34/56\x1b\\\x1b]11;rgb:01/02/03\x1b\\\x1b[31ma\x1b[32mb");
    let frame = child.frame();
    let mut canvas = Canvas::new(Size::new(4, 1));
    PaneView::frame(&frame).with_themes(&frame.theme, &host).draw(&mut canvas, Rect::new(0, 0, 4, 1), 1);
    let look = |col| canvas.cell(Position { row: 0, col }).unwrap().style();
    assert_eq!((look(0).foreground, look(0).background), (Color::Rgb(0x12, 0x34, 0x56), Color::Rgb(1, 2, 3)));
    assert_eq!((look(1).foreground, look(3).background), (Color::Indexed(2), Color::Rgb(1, 2, 3)));
}

#[test]
fn links_keep_their_targets() {
    let mut child = terminal(Size::new(10, 1));
    child.feed(b"\x1b]8;id=7;http://a/b\x1b\\here\x1b]8;;\x1b\\ not");
    let mut canvas = Canvas::new(Size::new(10, 1));
    PaneView::frame(&child.frame()).draw(&mut canvas, Rect::new(0, 0, 10, 1), 1);
    let link =
        |col| canvas.cell(Position { row: 0, col }).unwrap().link().map(|link| (link.id.clone(), link.uri.clone()));
    assert_eq!(link(3), Some(("7".into(), "http://a/b".into())));
    assert_eq!(link(4), None);
}
