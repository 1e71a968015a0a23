//! claude: inline on the main screen, a box between two rules.

use std::time::{Duration, Instant};

use super::{Costume, Manners, Shortcut, marked, seconds};
use crate::draft::PasteRule;
use crate::line::{Line, Look};
use crate::make::Make;
use crate::painter::Picture;
use crate::scene::{About, Answer, CallState, Dialog, Entry, Front, Question, Scene, ShellState};
use crate::wrap::{width, wrap};

pub(super) struct Claude {
    pub(super) known_terminal: bool,
}

const ORANGE: Look = Look::color((215, 119, 87));
const GREY: Look = Look::color((153, 153, 153));
const RULE: Look = Look::color((136, 136, 136));
const WHITE: Look = Look::color((255, 255, 255));
const PROMPT_GROUND: (u8, u8, u8) = (55, 55, 55);

const SPINNER: [&str; 6] = ["·", "✢", "*", "✶", "✻", "✽"];
const VERBS: [(&str, &str); 4] =
    [("Billowing", "Baked"), ("Simmering", "Churned"), ("Pondering", "Cogitated"), ("Brewing", "Brewed")];
const INTERRUPTED: &str = "  ⎿  Interrupted · What should Claude do instead?";
/// Between two pictures of the spinner, and of the title.
const SPIN: Duration = Duration::from_millis(120);
const TITLE_SPIN: Duration = Duration::from_millis(960);

impl Costume for Claude {
    fn hello(&self) -> String {
        let mut out = "\x1b7\x1b[r\x1b8\x1b[?25h\x1b[?25l\x1b[?2004h\x1b[?1004h\x1b[?2031h".to_owned();
        if self.known_terminal {
            out.push_str("\x1b[<u\x1b[>1u\x1b[>4;2m");
        }
        out.push_str("\x1b[>0q\x1b[c");
        out
    }

    fn farewell(&self) -> String {
        let mut out = "\r\n\x1b[>4m\x1b[<u\x1b[?1004l\x1b[?2031l\x1b[?2004l\x1b[?25h".to_owned();
        if self.known_terminal {
            out.push_str("\x1b]9;4;0;\x07");
        }
        out.push_str("\x1b]0;\x07\r\n\x1b[2mThis was a fake claude: there is nothing to resume.\x1b[22m\r\n");
        out
    }

    fn synchronizes(&self) -> bool {
        self.known_terminal
    }

    fn title(&self, scene: &Scene, now: Instant) -> String {
        let topic = if scene.topic.is_empty() { "Claude Code" } else { &scene.topic };
        let mark = match (&scene.front, scene.work) {
            (Front::PromptBox, Some(_)) => ["⠂", "⠐"][scene.animation(now, TITLE_SPIN, 2)],
            _ => "✳",
        };
        format!("{mark} {topic}")
    }

    fn report(&self, scene: &Scene) -> String {
        match (self.known_terminal && scene.is_up, scene.work.is_some()) {
            (false, _) => String::new(),
            (true, true) => "\x1b]9;4;3;\x07".into(),
            (true, false) => "\x1b]9;4;0;\x07".into(),
        }
    }

    fn header(&self, scene: &Scene) -> Vec<Line> {
        if !scene.is_open {
            return Vec::new();
        }
        let mut lines = if scene.cols() >= 118 { wide_header(scene) } else { narrow_header(scene) };
        lines.push(Line::empty());
        lines
    }

    fn entry(&self, entry: &Entry, scene: &Scene) -> Vec<Line> {
        let cols = scene.cols();
        let plain = |mark: &str, text: String| Line::plain(format!("{mark}{text}"));
        let mut lines = match entry {
            Entry::Interrupted => return vec![Line::styled(INTERRUPTED, GREY)],
            Entry::Prompt { shown, .. } => marked("❯ ", shown, cols, |mark, text| {
                Line::styled(mark, Look::color((80, 80, 80))).with(text, WHITE).shaded(PROMPT_GROUND)
            }),
            Entry::Answer(text) => marked("● ", text, cols, plain),
            Entry::Call { server, state, .. } => match state {
                CallState::Running => vec![called("Calling", server, "…")],
                CallState::Done(_) => vec![called("Called", server, "")],
                CallState::Failed(text) => {
                    let mut lines = vec![called("Called", server, "")];
                    lines.extend(marked("  ⎿  ", &format!("Error: {text}"), cols, plain));
                    lines
                }
            },
            Entry::Shell { command, state } => {
                let mut lines = marked("● ", &format!("Bash({command})"), cols, plain);
                lines.extend(result(state, cols, "Done"));
                lines
            }
            Entry::Write { file, state } => {
                let mut lines = vec![Line::plain(format!("● Write({file})"))];
                match state {
                    ShellState::Waiting => {}
                    ShellState::Done(_) | ShellState::Approved(_) => {
                        lines.push(Line::plain(format!("  ⎿  Wrote 1 line to {file}")))
                    }
                    ShellState::Refused => lines.push(Line::plain(format!("  ⎿  User rejected write to {file}"))),
                }
                lines
            }
            Entry::Finished { took, at } => {
                let (_, verb) = VERBS[usize::try_from(at.1).unwrap_or(0) % VERBS.len()];
                vec![Line::styled(format!("✻ {verb} for {}", seconds(*took)), GREY)]
            }
        };
        lines.insert(0, Line::empty());
        lines
    }

    fn bottom(&self, scene: &Scene, now: Instant) -> Picture {
        match &scene.front {
            Front::Question(question) => self.question(scene, question),
            Front::Dialog(dialog) => draw_dialog(scene, dialog),
            Front::PromptBox if !scene.is_open => Picture::default(),
            Front::PromptBox => prompt_box(scene, now),
        }
    }

    fn page(&self, _: &Scene, _: &[Line], _: Instant) -> Option<Picture> {
        None
    }

    fn frame_time(&self, scene: &Scene) -> Option<Duration> {
        let busy = scene.work.is_some() && matches!(scene.front, Front::PromptBox);
        busy.then_some(SPIN)
    }

    fn paste_rule(&self) -> PasteRule {
        PasteRule {
            is_large: |text| text.chars().count() > 800 || text.matches('\n').count() > 2,
            label: |number, text| match text.matches('\n').count() {
                0 => format!("[Pasted text #{number}]"),
                lines => format!("[Pasted text #{number} +{lines} lines]"),
            },
        }
    }

    fn answers(&self, _: &About) -> Vec<Answer> {
        vec![Answer::Once, Answer::Always, Answer::Refuse]
    }

    fn manners(&self) -> Manners {
        Manners { loses_enter_after_large_paste: true, interrupts_to_leave: 2, ..Manners::default() }
    }

    fn shortcut(&self, _: char) -> Option<Shortcut> {
        None
    }

    fn dialog(&self, kind: &str, scene: &Scene) -> Option<Dialog> {
        let hint = "Enter to confirm · Esc to cancel".to_owned();
        Some(match kind {
            "trust" => Dialog {
                text: vec![
                    "Accessing workspace:".into(),
                    String::new(),
                    scene.folder.clone(),
                    String::new(),
                    "Quick safety check: Is this a project you created or one you trust? (This is a fake: nothing \
                     will be read or run.)"
                        .into(),
                    String::new(),
                    "Security guide".into(),
                ],
                options: vec!["Yes, I trust this folder".into(), "No, exit".into()],
                hint,
                marked: 0,
                indent: 1,
                exits: Some(2),
            },
            "api_key" => Dialog {
                text: vec![
                    "Detected a custom API key in your environment".into(),
                    String::new(),
                    "ANTHROPIC_API_KEY: sk-ant-...fake".into(),
                    String::new(),
                    "Do you want to use this API key?".into(),
                ],
                options: vec!["Yes".into(), "No (recommended)".into()],
                hint,
                marked: 1,
                indent: 2,
                exits: None,
            },
            "project_mcp" => Dialog {
                text: vec![
                    "New MCP server found in this project: fake-server".into(),
                    String::new(),
                    "MCP servers may execute code or access system resources.".into(),
                ],
                options: vec![
                    "Use this and all future MCP servers in this project".into(),
                    "Use this MCP server".into(),
                    "Continue without using this MCP server".into(),
                ],
                hint,
                marked: 0,
                indent: 1,
                exits: None,
            },
            _ => return None,
        })
    }

    fn notification(&self, text: &str) -> String {
        format!("\x1b]777;notify;Claude Code;{text}\x07")
    }
}

fn called(verb: &str, server: &str, rest: &str) -> Line {
    Line::plain(format!("  {verb} {server}{rest} ")).with("(ctrl+o to expand)", GREY)
}

fn result(state: &ShellState, cols: usize, quiet: &str) -> Vec<Line> {
    let plain = |mark: &str, text: String| Line::plain(format!("{mark}{text}"));
    match state {
        ShellState::Waiting => vec![Line::styled("  ⎿  Waiting…", GREY)],
        ShellState::Done(output) | ShellState::Approved(output) if output.is_empty() => {
            vec![Line::plain(format!("  ⎿  {quiet}"))]
        }
        ShellState::Done(output) | ShellState::Approved(output) => marked("  ⎿  ", output, cols, plain),
        // The line below it says that the turn was interrupted.
        ShellState::Refused => Vec::new(),
    }
}

fn rule(scene: &Scene) -> Line {
    Line::styled("─".repeat(scene.cols()), RULE)
}

fn prompt_box(scene: &Scene, now: Instant) -> Picture {
    let cols = scene.cols();
    let mut lines = vec![Line::empty()];
    if scene.work.is_some() {
        let spinner = SPINNER[scene.animation(now, SPIN, SPINNER.len())];
        let passed = scene.seconds(now);
        let (verb, _) = VERBS[0];
        lines.push(
            Line::styled(format!("{spinner} {verb}… "), ORANGE)
                .with(format!("({passed}s · ↓ {} tokens)", passed * 7 + 1), GREY),
        );
        lines.push(Line::styled("  ⎿  Tip: this is a fake claude. It follows a script.", GREY));
        lines.push(Line::empty());
    }
    for prompt in &scene.queued {
        lines.extend(marked("❯ ", prompt, cols, |mark, text| Line::styled(format!("{mark}{text}"), GREY)));
        lines.push(Line::empty());
    }
    lines.push(rule(scene));
    let shown = scene.draft.shown();
    let rows = wrap(&shown, cols.saturating_sub(3));
    let last = rows.len() - 1;
    let mut cursor = (0, 0);
    for (row, text) in rows.into_iter().enumerate() {
        // The mark is followed by a no-break space, which tells it from a submitted prompt's.
        let mark = if row == 0 { "❯\u{a0}" } else { "  " };
        let mut line =
            Line::styled(mark, if scene.work.is_some() { GREY } else { Look::PLAIN }).with(&text, Look::PLAIN);
        if row == last {
            cursor = (lines.len(), 2 + width(&text));
            let ghost = if scene.draft.is_empty() { ghost_text(scene) } else { "" };
            let mut characters = ghost.chars();
            let under_cursor = characters.next().map_or_else(|| " ".into(), String::from);
            line = line.with(under_cursor, Look::INVERSE).with(characters.as_str(), Look::DIM);
        }
        lines.push(line);
    }
    lines.push(rule(scene));
    let left = match (scene.leaving, scene.work.is_some(), scene.draft.is_empty()) {
        (true, ..) => "  Press Ctrl-C again to exit",
        (_, true, _) => "  esc to interrupt · ← for agents",
        (_, false, true) => "  ? for shortcuts · ← for agents",
        (_, false, false) => "",
    };
    let right = if last > 0 { "ctrl+g to edit in Vim" } else { "● high · /effort" };
    lines.push(Line::styled(left, GREY).right(right, cols.saturating_sub(2), GREY));
    Picture { lines, cursor, cursor_shown: false }
}

/// The cursor stands on its first character.
fn ghost_text(scene: &Scene) -> &str {
    scene.placeholder(if scene.queued.is_empty() { "" } else { "Press up to edit queued messages" })
}

impl Claude {
    fn question(&self, scene: &Scene, question: &Question) -> Picture {
        let cols = scene.cols();
        let project = &scene.project;
        let indented = |text: &str| -> Vec<Line> {
            wrap(text, cols.saturating_sub(6)).into_iter().map(|row| Line::plain(format!("   {row}"))).collect()
        };
        let mut lines = vec![Line::empty(), rule(scene)];
        let mut ask = "Do you want to proceed?".to_owned();
        let mut hint = " Esc to cancel · Tab to amend";
        let always;
        match &question.about {
            About::Command(command) => {
                lines.extend([Line::styled(" Bash command", Look::BOLD), Line::empty()]);
                lines.extend(indented(command));
                lines.extend(indented(&question.reason).into_iter().filter(|_| !question.reason.is_empty()));
                lines.push(Line::empty());
                always = format!("Yes, and always allow access to {project}/ from this project");
                hint = " Esc to cancel · Tab to amend · ctrl+e to explain";
            }
            About::Tool { server, tool, description } => {
                lines.extend([Line::styled(" Tool use", Look::BOLD), Line::empty()]);
                lines.extend(indented(&format!("{server} - {tool} (MCP)")));
                // One line of it: the real one cuts long descriptions too.
                let first = description.lines().next().unwrap_or_default();
                lines.push(Line::plain(format!("   {}", crate::wrap::cut(first, cols.saturating_sub(6)))));
                lines.push(Line::empty());
                always = format!("Yes, and don't ask again for {server} - {tool} commands in {}", scene.folder);
            }
            About::File(file) => {
                lines.extend([Line::styled(" Create file", Look::BOLD), Line::plain(format!(" {file}"))]);
                lines.push(Line::styled("╌".repeat(cols), RULE));
                lines.push(Line::plain(format!("  1 {}", question.reason)));
                lines.push(Line::styled("╌".repeat(cols), RULE));
                ask = format!("Do you want to create {file}?");
                always = "Yes, allow all edits during this session (shift+tab)".into();
            }
        }
        lines.push(Line::plain(format!(" {ask}")));
        let first = lines.len();
        for (index, text) in ["Yes".to_owned(), always, "No".into()].into_iter().enumerate() {
            lines.push(option(" ", index, &text, question.marked));
        }
        lines.extend([Line::empty(), Line::styled(hint, GREY)]);
        Picture { lines, cursor: (first + question.marked, 1), cursor_shown: false }
    }
}

fn option(indent: &str, index: usize, text: &str, marked: usize) -> Line {
    let (mark, look) = if index == marked { ("❯", Look::color((177, 185, 249))) } else { (" ", Look::PLAIN) };
    Line::styled(format!("{indent}{mark} {}. {text}", index + 1), look)
}

fn draw_dialog(scene: &Scene, dialog: &Dialog) -> Picture {
    let indent = " ".repeat(dialog.indent);
    let mut lines = vec![Line::empty(), rule(scene)];
    for text in &dialog.text {
        let rows = wrap(text, scene.cols().saturating_sub(dialog.indent + 1));
        lines.extend(rows.into_iter().map(|row| Line::plain(format!("{indent}{row}"))));
    }
    lines.push(Line::empty());
    let first = lines.len();
    for (index, text) in dialog.options.iter().enumerate() {
        lines.push(option(&indent, index, text, dialog.marked));
    }
    lines.extend([Line::empty(), Line::styled(format!("{indent}{}", dialog.hint), GREY)]);
    Picture { lines, cursor: (first + dialog.marked, dialog.indent), cursor_shown: false }
}

/// A box of 117 columns, with the greeting at the left and tips at the right.
fn wide_header(scene: &Scene) -> Vec<Line> {
    const LEFT: usize = 47;
    const RIGHT: usize = 67;
    let version = Make::Claude.version();
    let title = format!(" Claude Code v{version} ");
    let rest = "─".repeat(112 - width(&title));
    let mut lines = vec![Line::styled(format!("╭───{title}{rest}╮"), ORANGE)];
    let folder = crate::wrap::cut(&scene.folder, LEFT);
    let left = ["", "Welcome back!", "", "▐▛███▜▌", "▝▜█████▛▘", "▘▘ ▝▝", "", "Fake model · no tokens spent", &folder];
    let line = "─".repeat(RIGHT - 2);
    let right = [
        "Tips for getting started",
        "Type anything: a fake follows its script",
        &line,
        "What's new",
        "Nothing: no model is behind this",
        "",
        "",
        "",
        "",
    ];
    for (left, right) in left.into_iter().zip(right) {
        let space = LEFT.saturating_sub(width(left));
        let (before, after) = (" ".repeat(space / 2 + space % 2), " ".repeat(space / 2));
        let fill = " ".repeat(RIGHT.saturating_sub(1 + width(right)));
        lines.push(
            Line::styled("│", ORANGE)
                .with(format!("{before}{left}{after}"), Look::PLAIN)
                .with("│", ORANGE)
                .with(format!(" {right}{fill}"), Look::PLAIN)
                .with("│", ORANGE),
        );
    }
    lines.push(Line::styled(format!("╰{}╯", "─".repeat(LEFT + RIGHT + 1)), ORANGE));
    lines
}

fn narrow_header(scene: &Scene) -> Vec<Line> {
    let version = Make::Claude.version();
    vec![
        Line::styled(" ▐▛███▜▌   ", ORANGE).with(format!("Claude Code v{version}"), Look::BOLD),
        Line::styled("▝▜█████▛▘  ", ORANGE).with("Fake model · no tokens spent", GREY),
        Line::styled("  ▘▘ ▝▝    ", ORANGE).with(&scene.folder, GREY),
    ]
}
