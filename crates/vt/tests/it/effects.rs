//! What the child asks of the world comes out as effects, bounded and clean.

use vt::{DesktopNotification, Effect, ProgressReport, PromptMark, Theme};

use crate::streams::fed;

fn effects(bytes: &str) -> Vec<Effect> {
    fed(80, 24, bytes).take_effects()
}

fn replies(bytes: &str) -> String {
    effects(bytes)
        .into_iter()
        .filter_map(|effect| match effect {
            Effect::Reply(bytes) => Some(String::from_utf8(bytes).expect("replies are text")),
            _ => None,
        })
        .collect()
}

#[test]
fn queries_are_answered() {
    for (query, answer) in [
        ("\x1b[5n", "\x1b[0n"),
        ("\x1b[4;7H\x1b[6n", "\x1b[4;7R"),
        ("\x1b[?6n", "\x1b[?1;1;1R"),
        ("\x1b[?2026$p", "\x1b[?2026;2$y"),
        ("\x1b[?2026h\x1b[?2026$p", "\x1b[?2026;1$y"),
        ("\x1b[?2004h\x1b[?2004$p", "\x1b[?2004;1$y"),
        ("\x1b[?9999$p", "\x1b[?9999;0$y"),
        ("\x1b[4$p", "\x1b[4;2$y"),
        ("\x1b[?u", "\x1b[?0u"),
        ("\x1b[>7u\x1b[?u", "\x1b[?7u"),
        ("\x1b[>7u\x1b[?1049h\x1b[?u", "\x1b[?0u"),
        ("\x1b[>7u\x1b[>1u\x1b[<2u\x1b[?u", "\x1b[?0u"),
        ("\x1b[=5u\x1b[=2;2u\x1b[=1;3u\x1b[?u", "\x1b[?6u"),
        ("\x1b[18t", "\x1b[8;24;80t"),
        ("\x1b[14t", "\x1b[4;480;800t"),
        ("\x1b]11;?\x07", "\x1b]11;rgb:0000/0000/0000\x07"),
        ("\x1b]10;?\x1b\\", "\x1b]10;rgb:e5e5/e5e5/e5e5\x1b\\"),
        ("\x1b]4;1;?\x07", "\x1b]4;1;rgb:cdcd/0000/0000\x07"),
        ("\x1b]4;1;#010203\x07\x1b]4;1;?\x07", "\x1b]4;1;rgb:0101/0202/0303\x07"),
        ("\x1b]11;#ffffff\x07\x1b]111\x07\x1b]11;?\x07", "\x1b]11;rgb:0000/0000/0000\x07"),
        ("\x1bP$qm\x1b\\", "\x1bP1$r0m\x1b\\"),
        ("\x1b[1;4:3;38;5;200m\x1bP$qm\x1b\\", "\x1bP1$r0;1;4:3;38:5:200m\x1b\\"),
        ("\x1b[3;9r\x1bP$qr\x1b\\", "\x1bP1$r3;9r\x1b\\"),
        ("\x1bP$qz\x1b\\", "\x1bP0$r\x1b\\"),
        ("\x1bP+q544e;5a5a\x1b\\", "\x1bP1+r544e=787465726D2D323536636F6C6F72\x1b\\\x1bP0+r5a5a\x1b\\"),
        ("\x1b[?996n", "\x1b[?997;1n"),
        ("\x1b[?2048h", "\x1b[48;24;80;480;800t"),
        ("\x1b[>4;2m\x1b[?4m", "\x1b[>4;2m"),
        ("AB\x1b[7;0;1;1;1;2*y", "\x1bP7!~0083\x1b\\"),
    ] {
        assert_eq!(replies(query), answer, "{query:?}");
    }
    assert!(replies("\x1b[c").starts_with("\x1b[?64;"));
    assert!(replies("\x1b[>c").starts_with("\x1b[>41;"));
    assert!(replies("\x1b[>q").starts_with("\x1bP>|patterm("));
}

#[test]
fn nothing_that_reads_is_answered() {
    assert_eq!(replies("\x1b]2;evil\x07\x1b[21t\x1b[20t\x1b]52;c;?\x07"), "");
}

#[test]
fn reports_for_watchers() {
    for (bytes, expected) in [
        ("\x1b]2;hi\x07", vec![Effect::Title("hi".into())]),
        ("\x1b]2;a\x1b]2;b\x07", vec![Effect::Title("b".into())]),
        ("\x1b]7;file://host/tmp\x07", vec![Effect::WorkingDirectory("file://host/tmp".into())]),
        ("\x07\x07\x07", vec![Effect::Bell]),
        ("\x1b]9;done\x07", vec![note("", "done")]),
        ("\x1b]777;notify;T;B\x07", vec![note("T", "B")]),
        ("\x1b]99;i=1:d=0;Hel\x07\x1b]99;i=1:d=0;lo\x07\x1b]99;i=1:p=body;x\x07", vec![note("Hello", "x")]),
        ("\x1b]9;4;1;40\x07", vec![Effect::Progress(ProgressReport::Percent(40))]),
        ("\x1b]9;4;3\x07", vec![Effect::Progress(ProgressReport::Indeterminate)]),
        ("\x1b]9;4;0;\x07", vec![Effect::Progress(ProgressReport::Clear)]),
        ("\x1b]52;c;aGk=\x07", vec![Effect::Clipboard { selection: "c".into(), data: b"hi".to_vec() }]),
        ("\x1b]133;A\x07", vec![Effect::Prompt(PromptMark::PromptStart)]),
        ("\x1b]133;D;3\x07", vec![Effect::Prompt(PromptMark::Finished { exit_code: Some(3) })]),
        ("\x1b]1337;File=x\x07", vec![Effect::UnknownOsc { number: 1337, body: "File=x".into() }]),
        ("\x1b[8;30;100t", vec![Effect::ResizeRequest { cols: 100, rows: 30 }]),
    ] {
        assert_eq!(effects(bytes), expected, "{bytes:?}");
    }
}

fn note(title: &str, body: &str) -> Effect {
    Effect::Notification(DesktopNotification { title: title.into(), body: body.into() })
}

#[test]
fn the_title_stack() {
    let mut terminal = fed(80, 24, "\x1b]2;one\x07\x1b[22t\x1b]2;two\x07");
    assert_eq!(terminal.title(), "two");
    terminal.feed(b"\x1b[23t");
    assert_eq!(terminal.title(), "one");
}

#[test]
fn a_theme_change_is_reported_to_children_that_asked() {
    let mut terminal = fed(80, 24, "\x1b[?2031h");
    let light = Theme { background: vt::Rgb::from_u32(0xffffff), ..Theme::default() };
    terminal.set_theme(light);
    assert_eq!(terminal.take_effects(), [Effect::Reply(b"\x1b[?997;2n".to_vec())]);
}

#[test]
fn resize_in_band() {
    let mut terminal = fed(80, 24, "\x1b[?2048h");
    terminal.take_effects();
    terminal.resize(vt::Size::new(100, 30));
    assert_eq!(terminal.take_effects(), [Effect::Reply(b"\x1b[48;30;100;600;1000t".to_vec())]);
}
