//! Themes: chosen from the palette with a preview, set in config.json, and read from files that may be broken.

use std::fs;

use vt::{Color, Size};

use crate::{screen_stage::Face, stage::Stage};

const SIZE: Size = Size { cols: 120, rows: 24 };
const DARK: Color = Color::Rgb(0x26, 0x28, 0x2e);
const LIGHT: Color = Color::Rgb(0xe6, 0xe8, 0xec);
const HIGH_CONTRAST: Color = Color::Rgb(0x26, 0x26, 0x26);
const MINE: Color = Color::Rgb(0x12, 0x34, 0x56);
const MINE_TEXT: &str = r##"{
    // The rest is as in light.
    "base": "light",
    "roles": { "status_line": { "background": "#123456" } },
}"##;

fn write_theme(stage: &Stage, name: &str, text: &str) {
    let folder = stage.path("config/patterm/themes");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(format!("{name}.json")), text).unwrap();
}

/// Waits until the status line has this background.
#[track_caller]
fn is_drawn_on(face: &Face, what: &str, ground: Color) {
    let status_line = || face.frame().rows.last().and_then(|row| Some(row.cells().next()?.run.style.background));
    face.until(what, |_| status_line() == Some(ground));
}

/// Opens the list of themes.
#[track_caller]
fn list(face: &Face) {
    face.seek("theme", "Theme…");
    face.press("enter");
    face.shows("the list of themes", "theme ─");
}

#[test]
fn a_theme_is_previewed_and_kept_or_left() {
    let stage = Stage::new();
    write_theme(&stage, "mine", MINE_TEXT);
    write_theme(&stage, "broken", "{ \"roles\": {\n  \"acent\": {} } }");
    let face = Face::in_a_shell(&stage, SIZE);
    is_drawn_on(&face, "dark, as the terminal is", DARK);
    list(&face);
    face.shows("one's own after the shipped", "(?s)› auto .* terminal .* dark .* light .* high-contrast .* mine ");
    face.press("down");
    is_drawn_on(&face, "the terminal's own", Color::Default);
    face.press("down down");
    is_drawn_on(&face, "light", LIGHT);
    face.press("down");
    is_drawn_on(&face, "high contrast", HIGH_CONTRAST);
    face.press("esc");
    face.hides("the list", "theme ─");
    is_drawn_on(&face, "the one before", DARK);

    // A file with a fault says what and where, and changes nothing.
    list(&face);
    face.type_text("broken");
    face.shows("what is wrong", "× broken.*themes/broken.json, line 2: 'acent' is not a role");
    is_drawn_on(&face, "what has no look is not previewed", DARK);
    face.press("enter");
    face.shows("that it is not used", "the colours stay as they are");

    list(&face);
    face.type_text("mine");
    is_drawn_on(&face, "the only one that matches", MINE);
    face.press("enter");
    face.shows("how to keep it", r#""theme": "mine""#);
    is_drawn_on(&face, "one's own", MINE);
    list(&face);
    face.shows("the cursor is on the one in use", "› mine");
    face.press("esc");
    face.hides("the list", "theme ─");

    // The file in use is followed; so is config.json, where it changes the theme.
    write_theme(&stage, "mine", &MINE_TEXT.replace("#123456", "#26282e"));
    is_drawn_on(&face, "as it is written", DARK);
    stage.write_config(r#"{ "theme": "high-contrast" }"#);
    is_drawn_on(&face, "what config.json says now", HIGH_CONTRAST);
    stage.write_config(r#"{ "theme": "nowhere" }"#);
    face.shows("what is wrong", "there is no theme 'nowhere'");
    is_drawn_on(&face, "the last good one", HIGH_CONTRAST);
    face.end();
}

#[test]
fn a_broken_file_is_told_and_mended_while_it_runs() {
    let stage = Stage::new();
    write_theme(&stage, "mine", "{ oops");
    stage.write_config(r#"{ "theme": "mine" }"#);
    let face = Face::open(&stage, SIZE, &[]);
    face.shows("what is wrong", "themes/mine.json, line 1, column 3");
    face.shows("it has started", "Press Ctrl-K");
    is_drawn_on(&face, "the default", DARK);
    write_theme(&stage, "mine", MINE_TEXT);
    is_drawn_on(&face, "mended", MINE);
    face.end();
    let told = stage.patterm(&["config", "check"]).ok();
    assert!(told.ends_with(": 0 warnings\n"), "{told}");
    stage.write_config(r#"{ "theme": "../config" }"#);
    let told = stage.patterm(&["config", "check"]);
    assert!(told.code == Some(1) && told.stdout.contains("can't be the name of a theme"), "{told:?}");
}
