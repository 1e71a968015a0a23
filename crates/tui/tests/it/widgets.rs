//! Every widget on every small screen: nothing panics, nothing is drawn outside of its area, and drawing the same again
//! changes nothing.

use tui::{
    Canvas, CanvasCursor, CanvasWriter, HostEvent, Rect, Sign, Skin, Span, WriterOptions,
    widgets::{
        FuzzyList, HelpEntry, HelpTable, LineInput, ListEntry, Modal, TabBar, TabLabel, TextEditor, Toast, TreeItem,
        TreeView, draw_scrollbar, draw_status_line, draw_toasts, render_markdown,
    },
};
use vt::{Size, Style};

type Draw = Box<dyn Fn(&mut Canvas, Rect) -> Option<CanvasCursor>>;

fn widgets() -> Vec<(&'static str, Draw)> {
    let skin = Skin::default();
    let tabs = vec![
        TabLabel { title: "claude 漢字".into(), sign: Sign::Blocked, attention: true },
        TabLabel { title: "e\u{301}👩\u{200d}👧".into(), sign: Sign::Unseen, attention: false },
    ];
    let items: Vec<TreeItem> = (0..6)
        .map(|depth| TreeItem {
            label: format!("漢字 item {depth}"),
            detail: "exited 1".into(),
            state: "exited".into(),
            about: if depth % 2 == 0 { "漢字 about".into() } else { String::new() },
            sign: Sign::Failed,
            depth: depth % 4,
            attention: depth == 2,
        })
        .collect();
    let mut entry = ListEntry::new("Spawn agent: 漢字");
    (entry.detail, entry.keys) = ("not installed".into(), "ctrl+k s".into());
    let list = FuzzyList::new(vec![entry.clone(), entry.clone(), entry]);
    let editor = TextEditor::new("one 漢字\n\ttwo e\u{301}\nthree");
    let input = LineInput::new("漢字 text");
    let body = vec![vec![Span::new("Some 漢字 body that is long enough to be wrapped", Style::default())]];
    let modal = Modal::new("漢字 title", body).answer('y', "yes").answer('n', "no");
    let help = HelpTable {
        entries: vec![HelpEntry { section: "S".into(), keys: "ctrl+k 漢".into(), text: "does 漢字".into() }],
    };
    let toasts = vec![Toast { text: "a notice with 漢字 in it".into(), sign: Sign::Working }];
    vec![
        (
            "tabs",
            Box::new(move |canvas, area| {
                TabBar { tabs: &tabs, active: 1 }.draw(canvas, area, &skin);
                None
            }),
        ),
        (
            "tree",
            Box::new(move |canvas, area| {
                TreeView { items: &items, focused: Some(1), cursor: Some(4) }.draw(canvas, area, &skin);
                None
            }),
        ),
        ("list", Box::new(move |canvas, area| list.draw(canvas, area, "> ", &skin))),
        ("editor", Box::new(move |canvas, area| editor.draw(canvas, area, Style::default()))),
        ("input", Box::new(move |canvas, area| input.draw(canvas, area, Style::default()))),
        (
            "modal",
            Box::new(move |canvas, area| {
                modal.draw(canvas, area, &skin);
                None
            }),
        ),
        (
            "help",
            Box::new(move |canvas, area| {
                help.draw(canvas, area, "", 0, &skin);
                None
            }),
        ),
        (
            "toasts",
            Box::new(move |canvas, area| {
                draw_toasts(canvas, area, &toasts, None, &skin);
                None
            }),
        ),
        (
            "status line",
            Box::new(move |canvas, area| {
                let span = [Span::new("漢字 left", Style::default())];
                draw_status_line(canvas, area, &span, &span, &skin);
                None
            }),
        ),
        (
            "scrollbar",
            Box::new(move |canvas, area| {
                draw_scrollbar(canvas, area, 3, 40, &skin);
                None
            }),
        ),
        (
            "markdown",
            Box::new(move |canvas, area| {
                let lines = render_markdown(
                    "# 漢字\n\n- one `code`\n\n> quote\n\n| a | b |\n|--|--|\n| 1 | 2 |",
                    area.cols,
                    &skin,
                );
                for row in 0..area.rows {
                    let line = lines.get(usize::from(row)).map_or(&[][..], Vec::as_slice);
                    canvas.draw_line(area, row, line, Style::default());
                }
                None
            }),
        ),
    ]
}

#[test]
fn any_size_is_drawn_inside_its_area() {
    for (name, draw) in widgets() {
        for cols in 0..24 {
            for rows in 0..8 {
                let area = Rect::new(2, 1, cols, rows);
                let mut canvas = Canvas::new(Size::new(cols + 4, rows + 2));
                for row in 0..rows + 2 {
                    canvas.draw_line(Rect::of(canvas.size()), row, &[], Style::default());
                    let edge = "#".repeat(usize::from(cols) + 4);
                    canvas.draw_text(Rect::of(canvas.size()), vt::Position { row, col: 0 }, &edge, Style::default());
                }
                let cursor = draw(&mut canvas, area);
                let what = format!("{name} at {cols} x {rows}");
                for row in 0..rows + 2 {
                    for col in 0..cols + 4 {
                        let at = vt::Position { row, col };
                        let mut text = String::new();
                        canvas.cell(at).unwrap().text().push_to(&mut text);
                        assert!(area.contains(at) || text == "#", "{what} drew {text:?} at row {row}, column {col}");
                    }
                }
                assert!(cursor.is_none_or(|cursor| area.contains(cursor.position)), "{what}: {cursor:?}");
                let mut writer = CanvasWriter::new(WriterOptions::default());
                writer.frame(&canvas);
                draw(&mut canvas, area);
                assert_eq!(writer.frame(&canvas), b"", "{what} drawn again");
            }
        }
    }
}

#[test]
fn hostile_texts_bring_nothing_in() {
    let hostile = "a\x1b[2J\x07\u{9b}31m\u{202e}\r\nb";
    let skin = Skin::default();
    let mut canvas = Canvas::new(Size::new(40, 4));
    let area = Rect::of(canvas.size());
    let tabs = [TabLabel { title: hostile.into(), sign: Sign::Idle, attention: false }];
    TabBar { tabs: &tabs, active: 0 }.draw(&mut canvas, area, &skin);
    draw_toasts(&mut canvas, area, &[Toast { text: hostile.into(), sign: Sign::Idle }], None, &skin);
    let mut list = FuzzyList::new(vec![ListEntry::new(hostile)]);
    list.update(&HostEvent::Paste(hostile.into()), area);
    list.draw(&mut canvas, area, hostile, &skin);
    assert!(!canvas.text().replace('\n', "").contains(char::is_control), "{:?}", canvas.text());
}
