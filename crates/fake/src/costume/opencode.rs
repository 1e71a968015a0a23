//! opencode: always on the alternate screen; a box with a thick left edge, a home page before the first prompt.

use std::time::{Duration, Instant};

use super::{Costume, KeyManners, PromptShortcut};
use crate::draft::PasteRule;
use crate::line::{PaintedLine, TextLook};
use crate::make::AgentMake;
use crate::painter::PaintedRows;
use crate::scene::{
    CallState, ChoiceDialog, PermissionQuestion, QuestionAnswer, QuestionSubject, Scene, SceneEntry, SceneFront,
    ShellState,
};
use crate::wrap::{width, wrap};

pub(super) struct OpencodeCostume;

const BLUE: TextLook = TextLook::color((92, 156, 245));
const GREY: TextLook = TextLook::color((128, 128, 128));
const WHITE: TextLook = TextLook::color((238, 238, 238));
const AMBER: TextLook = TextLook::color((245, 167, 66));
const PANEL: (u8, u8, u8) = (30, 30, 30);
const MODEL: &str = "Build · Fake Model";
const PLACEHOLDER: &str = "Ask anything… \"Fix a TODO in the codebase\"";
/// Width of the box on the home page.
const HOME_COLS: usize = 75;
const LOGO: [&str; 4] = [
    "                                 ▄",
    "█▀▀█ █▀▀█ █▀▀█ █▀▀▄ █▀▀▀ █▀▀█ █▀▀█ █▀▀█",
    "█  █ █  █ █▀▀▀ █  █ █    █  █ █  █ █▀▀▀",
    "▀▀▀▀ █▀▀▀ ▀▀▀▀ ▀▀▀▀ ▀▀▀▀ ▀▀▀▀ ▀▀▀▀ ▀▀▀▀",
];
const SPIN: Duration = Duration::from_millis(80);
const BAR: usize = 8;

impl Costume for OpencodeCostume {
    fn hello(&self) -> String {
        [
            "\x1b[?2031h\x1b]10;?\x07\x1b]11;?\x07\x1b[>0q\x1b[?25l\x1b[6n\x1bP+q4d73\x1b\\\x1b[?1016$p\x1b[?2027$p",
            "\x1b[?2031$p\x1b[?1004$p\x1b[?2004$p\x1b[?2026$p\x1b[?u\x1b[?1049h\x1b[>4;1m\x1b[?2027h\x1b[?2004h",
            "\x1b[?1000h\x1b[?1002h\x1b[?1003h\x1b[?1006h\x1b[?1004h\x1b[14t\x1b]4;0;?\x07\x1b[c",
        ]
        .concat()
    }

    fn farewell(&self) -> String {
        [
            "\x1b[?1004l\x1b[?1006l\x1b[?1003l\x1b[?1002l\x1b[?1000l\x1b[?2004l\x1b[?2027l\x1b[>4;0m\x1b[?1049l",
            "\x1b[?2031l\x1b]0;\x07\x1b[?25h\r\n  This was a fake opencode.\r\n",
        ]
        .concat()
    }

    fn synchronizes(&self) -> bool {
        true
    }

    fn title(&self, scene: &Scene, _: Instant) -> String {
        if scene.topic.is_empty() { "OpenCode".into() } else { format!("OC | {}", scene.topic) }
    }

    fn report(&self, _: &Scene) -> String {
        String::new()
    }

    fn header(&self, _: &Scene) -> Vec<PaintedLine> {
        Vec::new()
    }

    fn entry(&self, entry: &SceneEntry, scene: &Scene) -> Vec<PaintedLine> {
        let cols = scene.cols();
        let indented = |text: &str, look: TextLook| -> Vec<PaintedLine> {
            let rows = wrap(text, cols.saturating_sub(8));
            rows.into_iter().map(|row| PaintedLine::styled(format!("     {row}"), look)).collect()
        };
        let mut lines = match entry {
            SceneEntry::Prompt { text, .. } => {
                let mut lines = vec![edge(BLUE)];
                let rows = wrap(text, cols.saturating_sub(8));
                lines.extend(rows.into_iter().map(|row| edge(BLUE).with(format!("  {row}"), WHITE)));
                lines.push(edge(BLUE));
                lines
            }
            SceneEntry::Answer(text) => indented(text, TextLook::PLAIN),
            SceneEntry::Call { server, tool, state } => {
                let mark = if *state == CallState::Running { "~" } else { "⚙" };
                let mut lines = indented(&format!("{mark} {server}_{tool}"), GREY);
                if let CallState::Failed(text) = state {
                    lines.extend(indented(text, TextLook::color((224, 108, 117))));
                }
                lines
            }
            SceneEntry::Shell { command, state } => {
                let mut lines = indented(&format!("$ {command}"), GREY);
                if let ShellState::Done(output) | ShellState::Approved(output) = state
                    && !output.is_empty()
                {
                    lines.push(PaintedLine::empty());
                    lines.extend(indented(output, GREY));
                }
                lines
            }
            SceneEntry::Write { file, .. } => indented(&format!("← Write {file}"), GREY),
            SceneEntry::Finished { took, .. } => indented(&format!("▣  {MODEL} · {:.1}s", took.as_secs_f64()), GREY),
            SceneEntry::Interrupted => indented(&format!("▣  {MODEL} · interrupted"), GREY),
        };
        lines.insert(0, PaintedLine::empty());
        lines
    }

    fn bottom(&self, scene: &Scene, now: Instant) -> PaintedRows {
        match &scene.front {
            SceneFront::Question(question) => draw_question(scene, question),
            SceneFront::Dialog(dialog) => draw_dialog(scene, dialog),
            SceneFront::PromptBox => session_box(scene, now),
        }
    }

    fn page(&self, scene: &Scene, conversation: &[PaintedLine], now: Instant) -> Option<PaintedRows> {
        if !scene.is_open && matches!(scene.front, SceneFront::PromptBox) {
            return Some(PaintedRows::default());
        }
        if scene.entries.is_empty() && matches!(scene.front, SceneFront::PromptBox) {
            return Some(home(scene));
        }
        let mut conversation = conversation.to_vec();
        if scene.work.is_some() {
            conversation.extend([PaintedLine::empty(), PaintedLine::styled(format!("     ▣  {MODEL}"), GREY)]);
        }
        let mut bottom = self.bottom(scene, now);
        bottom.lines.push(PaintedLine::empty());
        let room = scene.rows().saturating_sub(bottom.lines.len());
        let mut lines = conversation.split_off(conversation.len().saturating_sub(room));
        lines.resize(room, PaintedLine::empty());
        lines.append(&mut bottom.lines);
        Some(PaintedRows {
            lines,
            cursor: (room + bottom.cursor.0, bottom.cursor.1),
            cursor_shown: bottom.cursor_shown,
        })
    }

    fn frame_time(&self, scene: &Scene) -> Option<Duration> {
        let busy = scene.work.is_some() && matches!(scene.front, SceneFront::PromptBox);
        busy.then_some(SPIN)
    }

    fn paste_rule(&self) -> PasteRule {
        PasteRule {
            is_large: |text| text.lines().count() >= 3 || text.chars().count() > 150,
            label: |_, text| format!("[Pasted ~{} lines]", text.matches('\n').count() + 1),
        }
    }

    fn answers(&self, _: &QuestionSubject) -> Vec<QuestionAnswer> {
        vec![QuestionAnswer::Once, QuestionAnswer::Always, QuestionAnswer::Refuse]
    }

    fn manners(&self) -> KeyManners {
        KeyManners { escapes_to_interrupt: 2, interrupts_to_leave: 1, ..KeyManners::default() }
    }

    fn shortcut(&self, c: char) -> Option<PromptShortcut> {
        // Typing letters at a question moves the selection.
        match c {
            'h' => Some(PromptShortcut::Back),
            'l' => Some(PromptShortcut::Forward),
            _ => None,
        }
    }

    fn dialog(&self, _: &str, _: &Scene) -> Option<ChoiceDialog> {
        None
    }

    fn notification(&self, _: &str) -> String {
        String::new()
    }
}

fn edge(look: TextLook) -> PaintedLine {
    PaintedLine::styled("  ┃", look)
}

/// The box: draft, model, lower edge. `left` is the column of its edge.
fn prompt_box(scene: &Scene, left: usize, cols: usize) -> (Vec<PaintedLine>, (usize, usize)) {
    let indent = " ".repeat(left);
    let side = || PaintedLine::styled(format!("{indent}┃"), BLUE);
    let mut lines = vec![side()];
    let rows = wrap(&scene.draft.shown(), cols.saturating_sub(5));
    let last = rows.len() - 1;
    let mut cursor = (1, left + 3);
    for (row, text) in rows.into_iter().enumerate() {
        if row == last {
            cursor = (lines.len(), left + 3 + width(&text));
        }
        lines.push(side().with("  ", TextLook::PLAIN).with(text, WHITE));
    }
    if scene.draft.is_empty() && scene.entries.is_empty() {
        lines[1] = side().with("  ", TextLook::PLAIN).with(scene.placeholder(PLACEHOLDER), GREY);
    }
    lines.push(side());
    lines.push(side().with(format!("  {MODEL}"), WHITE).with(" Fake", GREY));
    lines.push(PaintedLine::styled(format!("{indent}╹{}", "▀".repeat(cols.saturating_sub(1))), BLUE));
    (lines, cursor)
}

fn session_box(scene: &Scene, now: Instant) -> PaintedRows {
    let cols = scene.cols();
    let (box_lines, cursor) = prompt_box(scene, 2, cols.saturating_sub(4));
    let mut lines = vec![PaintedLine::empty()];
    lines.extend(box_lines);
    let cursor = (cursor.0 + 1, cursor.1);
    let left = if scene.work.is_some() {
        let hint = if scene.interrupting { "esc again to interrupt" } else { "esc interrupt" };
        format!("   {}  {hint}", bar(scene.animation(now, SPIN, 2 * BAR)))
    } else {
        format!("   {}", scene.folder)
    };
    lines.push(PaintedLine::styled(left, GREY).right("0 (0%)  ctrl+p commands", cols.saturating_sub(2), GREY));
    PaintedRows { lines, cursor, cursor_shown: true }
}

/// A block of two cells that moves to the right and fades.
fn bar(step: usize) -> String {
    (0..BAR).map(|place| if step >= place && step < place + 2 { '■' } else { '⬝' }).collect()
}

fn home(scene: &Scene) -> PaintedRows {
    let (cols, rows) = (scene.cols(), scene.rows());
    let width_of_box = HOME_COLS.min(cols.saturating_sub(4));
    let left = (cols.saturating_sub(width_of_box)) / 2 + 1;
    let logo_left = cols.saturating_sub(width(LOGO[1])) / 2 + 1;
    let mut lines = vec![PaintedLine::empty(); rows.saturating_sub(14) / 2];
    lines.extend(LOGO.iter().map(|row| PaintedLine::styled(format!("{}{row}", " ".repeat(logo_left)), GREY)));
    lines.extend([PaintedLine::empty(), PaintedLine::empty()]);
    let (box_lines, cursor) = prompt_box(scene, left, width_of_box);
    let cursor = (lines.len() + cursor.0, cursor.1);
    lines.extend(box_lines);
    lines.push(PaintedLine::empty().right("tab agents  ctrl+p commands", left + width_of_box, GREY));
    lines.extend([PaintedLine::empty(), PaintedLine::empty(), PaintedLine::empty()]);
    lines.push(PaintedLine::styled(format!("{}● Tip This is a fake: it follows a script", " ".repeat(left + 4)), GREY));
    lines.resize(rows.saturating_sub(2), PaintedLine::empty());
    let servers = match scene.connected_servers {
        0 => String::new(),
        count => format!("  ⊙ {count} MCP /status"),
    };
    let foot = PaintedLine::styled(format!("  {}{servers}", scene.folder), GREY);
    lines.push(foot.right(AgentMake::Opencode.version(), cols.saturating_sub(2), GREY));
    PaintedRows { lines, cursor, cursor_shown: true }
}

fn draw_question(scene: &Scene, question: &PermissionQuestion) -> PaintedRows {
    let amber = || edge(AMBER).shaded(PANEL);
    let mut lines = vec![PaintedLine::empty(), amber(), amber().with("  △ Permission required", AMBER)];
    let wrapped = |text: &str| wrap(text, scene.cols().saturating_sub(10));
    match &question.about {
        QuestionSubject::Command(command) => {
            lines.extend([amber().with("    # Shell command", GREY), amber()]);
            lines.extend(
                wrapped(&format!("$ {command}")).into_iter().map(|row| amber().with(format!("  {row}"), WHITE)),
            );
        }
        QuestionSubject::File(file) => lines.push(amber().with(format!("    ← Edit {file}"), GREY)),
        QuestionSubject::Tool { server, tool, .. } => lines.push(amber().with(format!("    ⚙ {server}_{tool}"), GREY)),
    }
    lines.extend([amber(), amber()]);
    let mut choices = amber().with("  ", TextLook::PLAIN);
    for (index, name) in ["Allow once", "Allow always", "Reject"].into_iter().enumerate() {
        let look = if index == question.marked { TextLook::color((10, 10, 10)).on((245, 167, 66)) } else { GREY };
        choices = choices.with(format!(" {name} "), look).with(" ", TextLook::PLAIN);
    }
    let hint = "ctrl+f fullscreen  ⇆ select  enter confirm";
    lines.push(choices.right(hint, scene.cols().saturating_sub(5), GREY));
    lines.push(amber());
    PaintedRows { cursor: (lines.len() - 2, 5), lines, cursor_shown: false }
}

fn draw_dialog(scene: &Scene, dialog: &ChoiceDialog) -> PaintedRows {
    let side = || edge(BLUE).shaded(PANEL);
    let mut lines = vec![PaintedLine::empty(), side()];
    for text in &dialog.text {
        let rows = wrap(text, scene.cols().saturating_sub(10));
        lines.extend(rows.into_iter().map(|row| side().with(format!("  {row}"), WHITE)));
    }
    lines.push(side());
    for (index, text) in dialog.options.iter().enumerate() {
        let (mark, look) = if index == dialog.marked { ("●", AMBER) } else { (" ", GREY) };
        lines.push(side().with(format!("  {mark} {text}"), look));
    }
    lines.extend([side(), side().with(format!("  {}", dialog.hint), GREY)]);
    PaintedRows { cursor: (lines.len() - 1, 5), lines, cursor_shown: false }
}
