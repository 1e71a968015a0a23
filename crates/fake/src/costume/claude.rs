//! claude: inline on the main screen, a box between two rules.

use std::time::{Duration, Instant};

use super::{Costume, KeyManners, PromptShortcut, marked, seconds};
use crate::draft::PasteRule;
use crate::line::{PaintedLine, TextLook};
use crate::make::AgentMake;
use crate::painter::PaintedRows;
use crate::scene::{
    CallState, ChoiceDialog, PermissionQuestion, QuestionAnswer, QuestionSubject, Scene, SceneEntry, SceneFront,
    ShellState,
};
use crate::wrap::{width, wrap};

pub(super) struct ClaudeCostume {
    pub(super) known_terminal: bool,
}

const ORANGE: TextLook = TextLook::color((215, 119, 87));
const GREY: TextLook = TextLook::color((153, 153, 153));
const RULE: TextLook = TextLook::color((136, 136, 136));
const WHITE: TextLook = TextLook::color((255, 255, 255));
const PROMPT_GROUND: (u8, u8, u8) = (55, 55, 55);

const SPINNER: [&str; 6] = ["·", "✢", "*", "✶", "✻", "✽"];
const VERBS: [(&str, &str); 4] =
    [("Billowing", "Baked"), ("Simmering", "Churned"), ("Pondering", "Cogitated"), ("Brewing", "Brewed")];
const INTERRUPTED: &str = "  ⎿  Interrupted · What should Claude do instead?";
/// Intervals of the spinner's frames, and of the title's.
const SPIN: Duration = Duration::from_millis(120);
const TITLE_SPIN: Duration = Duration::from_millis(960);

impl Costume for ClaudeCostume {
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
            (SceneFront::PromptBox, Some(_)) => ["⠂", "⠐"][scene.animation(now, TITLE_SPIN, 2)],
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

    fn header(&self, scene: &Scene) -> Vec<PaintedLine> {
        if !scene.is_open {
            return Vec::new();
        }
        let mut lines = if scene.cols() >= 118 { wide_header(scene) } else { narrow_header(scene) };
        lines.push(PaintedLine::empty());
        lines
    }

    fn entry(&self, entry: &SceneEntry, scene: &Scene) -> Vec<PaintedLine> {
        let cols = scene.cols();
        let plain = |mark: &str, text: String| PaintedLine::plain(format!("{mark}{text}"));
        let mut lines = match entry {
            SceneEntry::Interrupted => return vec![PaintedLine::styled(INTERRUPTED, GREY)],
            SceneEntry::Prompt { shown, .. } => marked("❯ ", shown, cols, |mark, text| {
                PaintedLine::styled(mark, TextLook::color((80, 80, 80))).with(text, WHITE).shaded(PROMPT_GROUND)
            }),
            SceneEntry::Answer(text) => marked("● ", text, cols, plain),
            SceneEntry::Call { server, state, .. } => match state {
                CallState::Running => vec![called("Calling", server, "…")],
                CallState::Done(_) => vec![called("Called", server, "")],
                CallState::Failed(text) => {
                    let mut lines = vec![called("Called", server, "")];
                    lines.extend(marked("  ⎿  ", &format!("Error: {text}"), cols, plain));
                    lines
                }
            },
            SceneEntry::Shell { command, state } => {
                let mut lines = marked("● ", &format!("Bash({command})"), cols, plain);
                lines.extend(result(state, cols, "Done"));
                lines
            }
            SceneEntry::Write { file, state } => {
                let mut lines = vec![PaintedLine::plain(format!("● Write({file})"))];
                match state {
                    ShellState::Waiting => {}
                    ShellState::Done(_) | ShellState::Approved(_) => {
                        lines.push(PaintedLine::plain(format!("  ⎿  Wrote 1 line to {file}")))
                    }
                    ShellState::Refused => {
                        lines.push(PaintedLine::plain(format!("  ⎿  User rejected write to {file}")))
                    }
                }
                lines
            }
            SceneEntry::Finished { took, at } => {
                let (_, verb) = VERBS[usize::try_from(at.1).unwrap_or(0) % VERBS.len()];
                vec![PaintedLine::styled(format!("✻ {verb} for {}", seconds(*took)), GREY)]
            }
        };
        lines.insert(0, PaintedLine::empty());
        lines
    }

    fn bottom(&self, scene: &Scene, now: Instant) -> PaintedRows {
        match &scene.front {
            SceneFront::Question(question) => self.question(scene, question),
            SceneFront::Dialog(dialog) => draw_dialog(scene, dialog),
            SceneFront::PromptBox if !scene.is_open => PaintedRows::default(),
            SceneFront::PromptBox => prompt_box(scene, now),
        }
    }

    fn page(&self, _: &Scene, _: &[PaintedLine], _: Instant) -> Option<PaintedRows> {
        None
    }

    fn frame_time(&self, scene: &Scene) -> Option<Duration> {
        let busy = scene.work.is_some() && matches!(scene.front, SceneFront::PromptBox);
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

    fn answers(&self, _: &QuestionSubject) -> Vec<QuestionAnswer> {
        vec![QuestionAnswer::Once, QuestionAnswer::Always, QuestionAnswer::Refuse]
    }

    fn manners(&self) -> KeyManners {
        KeyManners { loses_enter_after_large_paste: true, interrupts_to_leave: 2, ..KeyManners::default() }
    }

    fn shortcut(&self, _: char) -> Option<PromptShortcut> {
        None
    }

    fn dialog(&self, kind: &str, scene: &Scene) -> Option<ChoiceDialog> {
        let hint = "Enter to confirm · Esc to cancel".to_owned();
        Some(match kind {
            "trust" => ChoiceDialog {
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
            "api_key" => ChoiceDialog {
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
            "project_mcp" => ChoiceDialog {
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

fn called(verb: &str, server: &str, rest: &str) -> PaintedLine {
    PaintedLine::plain(format!("  {verb} {server}{rest} ")).with("(ctrl+o to expand)", GREY)
}

fn result(state: &ShellState, cols: usize, quiet: &str) -> Vec<PaintedLine> {
    let plain = |mark: &str, text: String| PaintedLine::plain(format!("{mark}{text}"));
    match state {
        ShellState::Waiting => vec![PaintedLine::styled("  ⎿  Waiting…", GREY)],
        ShellState::Done(output) | ShellState::Approved(output) if output.is_empty() => {
            vec![PaintedLine::plain(format!("  ⎿  {quiet}"))]
        }
        ShellState::Done(output) | ShellState::Approved(output) => marked("  ⎿  ", output, cols, plain),
        // The line below it says that the turn was interrupted.
        ShellState::Refused => Vec::new(),
    }
}

fn rule(scene: &Scene) -> PaintedLine {
    PaintedLine::styled("─".repeat(scene.cols()), RULE)
}

fn prompt_box(scene: &Scene, now: Instant) -> PaintedRows {
    let cols = scene.cols();
    let mut lines = vec![PaintedLine::empty()];
    if scene.work.is_some() {
        let spinner = SPINNER[scene.animation(now, SPIN, SPINNER.len())];
        let passed = scene.seconds(now);
        let (verb, _) = VERBS[0];
        lines.push(
            PaintedLine::styled(format!("{spinner} {verb}… "), ORANGE)
                .with(format!("({passed}s · ↓ {} tokens)", passed * 7 + 1), GREY),
        );
        lines.push(PaintedLine::styled("  ⎿  Tip: this is a fake claude. It follows a script.", GREY));
        lines.push(PaintedLine::empty());
    }
    for prompt in &scene.queued {
        lines.extend(marked("❯ ", prompt, cols, |mark, text| PaintedLine::styled(format!("{mark}{text}"), GREY)));
        lines.push(PaintedLine::empty());
    }
    lines.push(rule(scene));
    let shown = scene.draft.shown();
    let rows = wrap(&shown, cols.saturating_sub(3));
    let last = rows.len() - 1;
    let mut cursor = (0, 0);
    for (row, text) in rows.into_iter().enumerate() {
        // The marker is followed by a no-break space, unlike that of a submitted prompt.
        let mark = if row == 0 { "❯\u{a0}" } else { "  " };
        let mut line = PaintedLine::styled(mark, if scene.work.is_some() { GREY } else { TextLook::PLAIN })
            .with(&text, TextLook::PLAIN);
        if row == last {
            cursor = (lines.len(), 2 + width(&text));
            let ghost = if scene.draft.is_empty() { ghost_text(scene) } else { "" };
            let mut characters = ghost.chars();
            let under_cursor = characters.next().map_or_else(|| " ".into(), String::from);
            line = line.with(under_cursor, TextLook::INVERSE).with(characters.as_str(), TextLook::DIM);
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
    lines.push(PaintedLine::styled(left, GREY).right(right, cols.saturating_sub(2), GREY));
    PaintedRows { lines, cursor, cursor_shown: false }
}

/// The cursor is on its first character.
fn ghost_text(scene: &Scene) -> &str {
    scene.placeholder(if scene.queued.is_empty() { "" } else { "Press up to edit queued messages" })
}

impl ClaudeCostume {
    fn question(&self, scene: &Scene, question: &PermissionQuestion) -> PaintedRows {
        let cols = scene.cols();
        let project = &scene.project;
        let indented = |text: &str| -> Vec<PaintedLine> {
            wrap(text, cols.saturating_sub(6)).into_iter().map(|row| PaintedLine::plain(format!("   {row}"))).collect()
        };
        let mut lines = vec![PaintedLine::empty(), rule(scene)];
        let mut ask = "Do you want to proceed?".to_owned();
        let mut hint = " Esc to cancel · Tab to amend";
        let always;
        match &question.about {
            QuestionSubject::Command(command) => {
                lines.extend([PaintedLine::styled(" Bash command", TextLook::BOLD), PaintedLine::empty()]);
                lines.extend(indented(command));
                lines.extend(indented(&question.reason).into_iter().filter(|_| !question.reason.is_empty()));
                lines.push(PaintedLine::empty());
                always = format!("Yes, and always allow access to {project}/ from this project");
                hint = " Esc to cancel · Tab to amend · ctrl+e to explain";
            }
            QuestionSubject::Tool { server, tool, description } => {
                lines.extend([PaintedLine::styled(" Tool use", TextLook::BOLD), PaintedLine::empty()]);
                lines.extend(indented(&format!("{server} - {tool} (MCP)")));
                // One line only: the real CLI cuts long descriptions too.
                let first = description.lines().next().unwrap_or_default();
                lines.push(PaintedLine::plain(format!("   {}", crate::wrap::cut(first, cols.saturating_sub(6)))));
                lines.push(PaintedLine::empty());
                always = format!("Yes, and don't ask again for {server} - {tool} commands in {}", scene.folder);
            }
            QuestionSubject::File(file) => {
                lines.extend([
                    PaintedLine::styled(" Create file", TextLook::BOLD),
                    PaintedLine::plain(format!(" {file}")),
                ]);
                lines.push(PaintedLine::styled("╌".repeat(cols), RULE));
                lines.push(PaintedLine::plain(format!("  1 {}", question.reason)));
                lines.push(PaintedLine::styled("╌".repeat(cols), RULE));
                ask = format!("Do you want to create {file}?");
                always = "Yes, allow all edits during this session (shift+tab)".into();
            }
        }
        lines.push(PaintedLine::plain(format!(" {ask}")));
        let first = lines.len();
        for (index, text) in ["Yes".to_owned(), always, "No".into()].into_iter().enumerate() {
            lines.push(option(" ", index, &text, question.marked));
        }
        lines.extend([PaintedLine::empty(), PaintedLine::styled(hint, GREY)]);
        PaintedRows { lines, cursor: (first + question.marked, 1), cursor_shown: false }
    }
}

fn option(indent: &str, index: usize, text: &str, marked: usize) -> PaintedLine {
    let (mark, look) = if index == marked { ("❯", TextLook::color((177, 185, 249))) } else { (" ", TextLook::PLAIN) };
    PaintedLine::styled(format!("{indent}{mark} {}. {text}", index + 1), look)
}

fn draw_dialog(scene: &Scene, dialog: &ChoiceDialog) -> PaintedRows {
    let indent = " ".repeat(dialog.indent);
    let mut lines = vec![PaintedLine::empty(), rule(scene)];
    for text in &dialog.text {
        let rows = wrap(text, scene.cols().saturating_sub(dialog.indent + 1));
        lines.extend(rows.into_iter().map(|row| PaintedLine::plain(format!("{indent}{row}"))));
    }
    lines.push(PaintedLine::empty());
    let first = lines.len();
    for (index, text) in dialog.options.iter().enumerate() {
        lines.push(option(&indent, index, text, dialog.marked));
    }
    lines.extend([PaintedLine::empty(), PaintedLine::styled(format!("{indent}{}", dialog.hint), GREY)]);
    PaintedRows { lines, cursor: (first + dialog.marked, dialog.indent), cursor_shown: false }
}

/// A box of 117 columns, with the greeting on the left and tips on the right.
fn wide_header(scene: &Scene) -> Vec<PaintedLine> {
    const LEFT: usize = 47;
    const RIGHT: usize = 67;
    let version = AgentMake::Claude.version();
    let title = format!(" Claude Code v{version} ");
    let rest = "─".repeat(112 - width(&title));
    let mut lines = vec![PaintedLine::styled(format!("╭───{title}{rest}╮"), ORANGE)];
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
            PaintedLine::styled("│", ORANGE)
                .with(format!("{before}{left}{after}"), TextLook::PLAIN)
                .with("│", ORANGE)
                .with(format!(" {right}{fill}"), TextLook::PLAIN)
                .with("│", ORANGE),
        );
    }
    lines.push(PaintedLine::styled(format!("╰{}╯", "─".repeat(LEFT + RIGHT + 1)), ORANGE));
    lines
}

fn narrow_header(scene: &Scene) -> Vec<PaintedLine> {
    let version = AgentMake::Claude.version();
    vec![
        PaintedLine::styled(" ▐▛███▜▌   ", ORANGE).with(format!("Claude Code v{version}"), TextLook::BOLD),
        PaintedLine::styled("▝▜█████▛▘  ", ORANGE).with("Fake model · no tokens spent", GREY),
        PaintedLine::styled("  ▘▘ ▝▝    ", ORANGE).with(&scene.folder, GREY),
    ]
}
