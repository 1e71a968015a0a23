//! Pictures of real screens: what is in them, and what never gets in.

use replay::picture::{PictureOptions, html, svg};

fn frame(cols: u16, rows: u16, text: &str) -> vt::Frame {
    let size = vt::Size::new(cols, rows);
    let mut terminal = vt::Terminal::new(vt::TerminalOptions { size, ..vt::TerminalOptions::default() });
    terminal.feed(text.as_bytes());
    terminal.frame()
}

fn both(frame: &vt::Frame) -> [String; 2] {
    let options = PictureOptions { cursor: true, title: Some("a <title>".into()) };
    [svg(frame, &options), html(frame, &options)]
}

/// Element content without tags, entities read back.
fn text_of(markup: &str) -> String {
    let body = &markup[markup.find("<pre>").or_else(|| markup.find("<g ")).expect("a body")..];
    let mut out = String::new();
    let mut inside = false;
    for c in body.chars() {
        match c {
            '<' => inside = true,
            '>' => inside = false,
            c if !inside => out.push(c),
            _ => {}
        }
    }
    out.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'").replace("&amp;", "&")
}

#[test]
fn every_character_is_there_in_order() {
    let frame = frame(20, 3, "plain \x1b[1;31mred\x1b[m 漢字\r\ne\u{301}\u{1f469}\u{200d}\u{1f4bb}!");
    for picture in both(&frame) {
        let text: String = text_of(&picture).split_whitespace().collect();
        assert!(text.ends_with("plainred漢字e\u{301}\u{1f469}\u{200d}\u{1f4bb}!"), "{text}");
    }
}

#[test]
fn what_a_child_prints_is_text_and_never_markup() {
    let hostile = "<script>alert(1)</script>&amp;\"'\x1b]8;;javascript:alert(1)\x1b\\click\x1b]8;;\x1b\\";
    for picture in both(&frame(80, 2, hostile)) {
        assert!(!picture.contains("<script"), "{picture}");
        assert!(!picture.contains("javascript:"), "{picture}");
        let text = text_of(&picture).replace('\n', "");
        assert!(text.contains("<script>alert(1)</script>&amp;\"'click"), "{text}");
    }
    for picture in both(&frame(20, 1, "")) {
        assert!(picture.contains("<title>a &lt;title&gt;</title>"), "{picture}");
    }
}

#[test]
fn links_that_are_safe_are_links() {
    let linked = frame(40, 1, "\x1b]8;;https://example.org/?a=1&b=2\x1b\\there\x1b]8;;\x1b\\");
    for picture in both(&linked) {
        assert!(picture.contains("href=\"https://example.org/?a=1&amp;b=2\""), "{picture}");
    }
}

#[test]
fn colours_come_after_inversion_and_dimming() {
    let [svg, html] = both(&frame(10, 1, "\x1b[?25l\x1b[38;2;16;32;48;48;2;1;2;3;7mx"));
    assert!(svg.contains("fill=\"#102030\"/>") && svg.contains("fill=\"#010203\""), "{svg}");
    assert!(html.contains("color:#010203;background:#102030"), "{html}");
    let [_, html] = both(&frame(10, 1, "\x1b[?25l\x1b[38;2;200;100;50;2mx"));
    assert!(html.contains("color:#643219"), "{html}");
}

#[test]
fn every_underline_has_its_own_shape() {
    for (style, shape) in [(1, "solid"), (2, "double"), (3, "wavy"), (4, "dotted"), (5, "dashed")] {
        let [svg, html] = both(&frame(10, 1, &format!("\x1b[?25l\x1b[4:{style};58:2::9:8:7mab")));
        assert!(html.contains(&format!("text-decoration:underline {shape} #090807")), "{html}");
        assert!(svg.contains("stroke=\"#090807\""), "{svg}");
    }
}

#[test]
fn the_cursor_is_drawn_when_asked_for_and_shown() {
    let shown = frame(10, 2, "ab\x1b[1;2H");
    let [with, page] = both(&shown);
    assert!(page.contains("<span class=\"cursor\""), "{page}");
    let without = svg(&shown, &PictureOptions { cursor: false, title: Some("a <title>".into()) });
    assert_eq!(with.matches("<rect").count(), without.matches("<rect").count() + 1);
    let hidden = frame(10, 2, "ab\x1b[?25l");
    assert!(!html(&hidden, &PictureOptions { cursor: true, title: None }).contains("class=\"cursor\""));
}
