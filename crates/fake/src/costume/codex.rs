//! codex: a shaded composer under the conversation, on the alternate screen or inline; reports its state by OSC 7501.

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

pub(super) struct CodexCostume {
    pub(super) alternate_screen: bool,
}

const BLUE: TextLook = TextLook::color((99, 168, 248));
const GREY: TextLook = TextLook::color((149, 149, 149));
const YELLOW: TextLook = TextLook::color((246, 226, 183));
const GREEN: TextLook = TextLook::color((171, 223, 167));
const BOX: (u8, u8, u8) = (57, 57, 57);
const PROMPT_GROUND: (u8, u8, u8) = (66, 66, 66);
const MODEL: &str = "fake-model default";
const PLACEHOLDER: &str = "Ask Codex to do anything";

const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const SPIN: Duration = Duration::from_millis(100);
/// Interval of the title's changes at a question.
const BLINK: Duration = Duration::from_secs(1);
/// codex redraws at a question, at about this interval: a rule that waits for silence would wait for ever.
const REPAINT: Duration = Duration::from_millis(50);

impl Costume for CodexCostume {
    fn hello(&self) -> String {
        let mut out =
            "\x1b[?2004h\x1b[>4;0m\x1b[>7u\x1b[?1004h\x1b[?u\x1b[c\x1b[6n\x1b]10;?\x1b\\\x1b]11;?\x1b\\".to_owned();
        if self.alternate_screen {
            out.push_str("\x1b[?1049h\x1b[>4;0m\x1b[>7u\x1b[?1007l\x1b[?1000h\x1b[?1002h\x1b[?1003h\x1b[?1006h\x1b[J");
        }
        out
    }

    fn farewell(&self) -> String {
        let mut out = String::new();
        if self.alternate_screen {
            out.push_str("\x1b[?1006l\x1b[?1003l\x1b[?1002l\x1b[?1000l\x1b[<1u\x1b[?1049l");
        }
        out.push_str("\r\n\x1b]0;\x07\x1b[<1u\x1b[<u\x1b[>4;0m\x1b[?2004l\x1b[?1004l\x1b[0 q\x1b[?25h");
        out.push_str("\x1b]7501;state=clear\x1b\\");
        out.push_str("Token usage: none, this was a fake codex.\r\n");
        out
    }

    fn synchronizes(&self) -> bool {
        true
    }

    fn title(&self, scene: &Scene, now: Instant) -> String {
        let project = &scene.project;
        match &scene.front {
            _ if !scene.is_up => String::new(),
            SceneFront::Question(_) => {
                let mark = ["!", "."][scene.animation(now, BLINK, 2)];
                format!("[ {mark} ] Action Required | {project}")
            }
            _ if scene.work.is_some() || scene.booting => {
                format!("{} {project}", SPINNER[scene.animation(now, SPIN, SPINNER.len())])
            }
            _ => project.clone(),
        }
    }

    fn report(&self, scene: &Scene) -> String {
        if !scene.is_up {
            return String::new();
        }
        let state = match (&scene.front, scene.work.is_some() || scene.booting, scene.unseen_end) {
            (SceneFront::Question(_), ..) => "blocked:app=codex:kind=permission",
            (_, true, _) => "working:app=codex",
            (_, false, true) => "done:app=codex",
            (_, false, false) => "idle:app=codex",
        };
        format!("\x1b]7501;state={state}\x1b\\")
    }

    fn header(&self, scene: &Scene) -> Vec<PaintedLine> {
        if !scene.is_open {
            return Vec::new();
        }
        let mut lines = vec![
            PaintedLine::empty(),
            PaintedLine::styled("  >_ ", BLUE)
                .with("OpenAI Codex", TextLook::BOLD)
                .with(format!(" (v{})", AgentMake::Codex.version()), TextLook::DIM),
            PaintedLine::styled(format!("     {}", if scene.is_up { &scene.folder } else { "loading" }), TextLook::DIM),
        ];
        if !self.alternate_screen {
            lines.extend([
                PaintedLine::empty(),
                PaintedLine::plain("  Tip: this is a fake codex. It follows a script."),
            ]);
        }
        lines
    }

    fn entry(&self, entry: &SceneEntry, scene: &Scene) -> Vec<PaintedLine> {
        let cols = scene.cols();
        let plain = |mark: &str, text: String| PaintedLine::plain(format!("{mark}{text}"));
        let shade = || PaintedLine::empty().shaded(PROMPT_GROUND);
        let mut lines = match entry {
            SceneEntry::Prompt { text, .. } => {
                let mut lines = vec![shade()];
                lines.extend(marked("› ", text, cols, |mark, text| {
                    PaintedLine::styled(mark, TextLook::DIM).with(text, TextLook::PLAIN).shaded(PROMPT_GROUND)
                }));
                lines.push(shade());
                lines
            }
            SceneEntry::Answer(text) => marked("• ", text, cols, plain),
            SceneEntry::Call { server, tool, state } => {
                let verb = if *state == CallState::Running { "Calling" } else { "Called" };
                let mut lines = vec![
                    PaintedLine::styled(format!("• {verb} "), TextLook::BOLD).with(format!("{server}.{tool}"), BLUE),
                ];
                if let CallState::Done(text) | CallState::Failed(text) = state {
                    let error = if matches!(state, CallState::Failed(_)) { "Error: " } else { "" };
                    // The rest is shown by "Show details".
                    let first = text.lines().next().unwrap_or_default();
                    lines.push(PaintedLine::plain(format!(
                        "  └ {error}{}",
                        crate::wrap::cut(first, cols.saturating_sub(12))
                    )));
                }
                lines.push(PaintedLine::styled("    + Show details", TextLook::DIM));
                lines
            }
            SceneEntry::Shell { command, state } => shell(command, state, cols),
            SceneEntry::Write { file, state } => shell(&format!("apply_patch {file}"), state, cols),
            SceneEntry::Finished { took, at: (hour, minute) } => {
                let took = if took.as_secs() == 0 { "<1s".into() } else { seconds(*took) };
                vec![PaintedLine::styled(format!("  Worked for {took} • {hour:02}:{minute:02}"), TextLook::DIM)]
            }
            SceneEntry::Interrupted => {
                vec![PaintedLine::plain("■ Conversation interrupted - use /feedback if something went wrong")]
            }
        };
        lines.insert(0, PaintedLine::empty());
        lines
    }

    fn bottom(&self, scene: &Scene, now: Instant) -> PaintedRows {
        match &scene.front {
            SceneFront::Question(question) => draw_question(scene, question),
            SceneFront::Dialog(dialog) => draw_dialog(scene, dialog),
            SceneFront::PromptBox if !scene.is_open => PaintedRows::default(),
            SceneFront::PromptBox => self.composer(scene, now),
        }
    }

    fn page(&self, scene: &Scene, conversation: &[PaintedLine], now: Instant) -> Option<PaintedRows> {
        if !self.alternate_screen {
            return None;
        }
        let mut bottom = self.bottom(scene, now);
        if matches!(scene.front, SceneFront::Dialog(_)) {
            return Some(bottom);
        }
        let room = scene.rows().saturating_sub(bottom.lines.len());
        let mut lines = conversation[conversation.len().saturating_sub(room)..].to_vec();
        lines.resize(room, PaintedLine::empty());
        lines.append(&mut bottom.lines);
        Some(PaintedRows {
            lines,
            cursor: (room + bottom.cursor.0, bottom.cursor.1),
            cursor_shown: bottom.cursor_shown,
        })
    }

    fn frame_time(&self, scene: &Scene) -> Option<Duration> {
        match &scene.front {
            SceneFront::Question(_) => Some(REPAINT),
            SceneFront::PromptBox if scene.work.is_some() || scene.booting => Some(SPIN),
            _ => None,
        }
    }

    fn paste_rule(&self) -> PasteRule {
        PasteRule {
            is_large: |text| text.chars().count() > 1000,
            label: |_, text| format!("[Pasted Content {} chars]", text.chars().count()),
        }
    }

    fn answers(&self, about: &QuestionSubject) -> Vec<QuestionAnswer> {
        match about {
            QuestionSubject::Tool { .. } => {
                vec![QuestionAnswer::Once, QuestionAnswer::Always, QuestionAnswer::Always, QuestionAnswer::Refuse]
            }
            QuestionSubject::Command(_) | QuestionSubject::File(_) => {
                vec![QuestionAnswer::Once, QuestionAnswer::Always, QuestionAnswer::Refuse]
            }
        }
    }

    fn manners(&self) -> KeyManners {
        KeyManners { typed_burst_is_a_paste: true, interrupts_to_leave: 1, ..KeyManners::default() }
    }

    fn shortcut(&self, c: char) -> Option<PromptShortcut> {
        match c {
            'y' => Some(PromptShortcut::Answer(QuestionAnswer::Once)),
            'p' | 'a' => Some(PromptShortcut::Answer(QuestionAnswer::Always)),
            'n' => Some(PromptShortcut::Answer(QuestionAnswer::Refuse)),
            _ => None,
        }
    }

    fn dialog(&self, kind: &str, scene: &Scene) -> Option<ChoiceDialog> {
        Some(match kind {
            "trust" => ChoiceDialog {
                text: vec![
                    "Folder access".into(),
                    scene.folder.clone(),
                    String::new(),
                    "Trust this folder? Codex can read, edit, and run files here. (This is a fake: it will not.)"
                        .into(),
                ],
                options: vec!["Trust and continue".into(), "Quit".into()],
                hint: "enter continue · esc quit".into(),
                marked: 0,
                indent: 2,
                exits: Some(2),
            },
            "hooks" => ChoiceDialog {
                text: vec![
                    "Hooks need review".into(),
                    "6 hooks are new or changed.".into(),
                    "Hooks can run outside the sandbox after you trust them.".into(),
                ],
                options: vec![
                    "Review hooks".into(),
                    "Trust all and continue".into(),
                    "Continue without trusting (hooks won't run)".into(),
                ],
                hint: "enter confirm · esc skip".into(),
                marked: 0,
                indent: 2,
                exits: None,
            },
            _ => return None,
        })
    }

    fn notification(&self, text: &str) -> String {
        format!("\x1b]9;{text}\x07")
    }
}

impl CodexCostume {
    fn composer(&self, scene: &Scene, now: Instant) -> PaintedRows {
        let cols = scene.cols();
        let mut lines = vec![PaintedLine::empty()];
        if scene.work.is_some_and(|work| !work.streaming) {
            lines.push(
                PaintedLine::styled("• ", TextLook::BOLD)
                    .with("Working ", TextLook::color((129, 129, 129)))
                    .with(format!("({} • ", seconds(Duration::from_secs(scene.seconds(now)))), TextLook::DIM)
                    .with("esc", TextLook::BOLD)
                    .with(" to interrupt)", TextLook::DIM),
            );
            lines.push(PaintedLine::empty());
        }
        for prompt in &scene.queued {
            lines.extend(marked("  ↳ ", prompt, cols, |mark, text| {
                PaintedLine::styled(format!("{mark}{text}"), TextLook::DIM)
            }));
        }
        lines.push(PaintedLine::empty().shaded(BOX));
        let shown = scene.draft.shown();
        let rows = wrap(&shown, cols.saturating_sub(3));
        let last = rows.len() - 1;
        let mut cursor = (0, 0);
        for (row, text) in rows.into_iter().enumerate() {
            let mark = if row == 0 { "› " } else { "  " };
            if row == last {
                cursor = (lines.len(), 2 + width(&text));
            }
            let line = PaintedLine::styled(mark, TextLook::BOLD);
            let line = if scene.draft.is_empty() {
                line.with(scene.placeholder(PLACEHOLDER), TextLook::DIM)
            } else {
                line.with(text, TextLook::PLAIN)
            };
            lines.push(line.shaded(BOX));
        }
        lines.push(PaintedLine::empty().shaded(BOX));
        if !scene.is_up {
            // The model is not known yet.
            lines.push(PaintedLine::empty());
            return PaintedRows { lines, cursor, cursor_shown: true };
        }
        lines.push(PaintedLine::styled(format!("  {MODEL}"), YELLOW).with(" · ", GREY).with(&scene.folder, GREEN));
        if self.alternate_screen {
            lines.push(PaintedLine::styled(if scene.draft.is_empty() { "  ? for shortcuts" } else { "" }, GREY));
        }
        PaintedRows { lines, cursor, cursor_shown: true }
    }
}

fn shell(command: &str, state: &ShellState, cols: usize) -> Vec<PaintedLine> {
    let plain = |mark: &str, text: String| PaintedLine::plain(format!("{mark}{text}"));
    let output = |text: &str| if text.is_empty() { "(no output)".to_owned() } else { text.to_owned() };
    match state {
        ShellState::Waiting => marked("• ", &format!("Running {command}"), cols, plain),
        ShellState::Done(text) | ShellState::Approved(text) => {
            let mut lines = Vec::new();
            if matches!(state, ShellState::Approved(_)) {
                let told = format!("You approved codex to run {command} this time");
                lines = marked("✔ ", &told, cols, plain);
                lines.push(PaintedLine::empty());
            }
            lines.extend(marked("• ", &format!("Ran {command}"), cols, plain));
            lines.extend(marked("  └ ", &output(text), cols, plain));
            lines
        }
        ShellState::Refused => {
            let mut lines = marked("✗ ", &format!("You canceled the request to run {command}"), cols, plain);
            lines.push(PaintedLine::empty());
            lines.extend(marked("• ", &format!("Exited (status 1) {command}"), cols, plain));
            lines.push(PaintedLine::plain("  └ (no output)"));
            lines
        }
    }
}

fn option(index: usize, text: &str, marked: usize) -> PaintedLine {
    let (mark, look) = if index == marked { ("›", BLUE) } else { (" ", TextLook::PLAIN) };
    PaintedLine::styled(format!("{mark} {}. {text}", index + 1), look)
}

fn draw_question(scene: &Scene, question: &PermissionQuestion) -> PaintedRows {
    let wrapped = |text: &str| -> Vec<PaintedLine> {
        wrap(text, scene.cols().saturating_sub(4))
            .into_iter()
            .map(|row| PaintedLine::plain(format!("  {row}")))
            .collect()
    };
    if let QuestionSubject::Tool { server, tool, .. } = &question.about {
        return tool_form(server, tool, question.marked);
    }
    let mut lines = vec![PaintedLine::empty(), PaintedLine::empty()];
    let options = match &question.about {
        QuestionSubject::File(file) => {
            lines.extend([PaintedLine::plain("  Would you like to make the following edits?"), PaintedLine::empty()]);
            lines.extend(wrapped(file));
            vec!["Yes, proceed (y)".to_owned(), "Yes, and don't ask again for these files (a)".into()]
        }
        QuestionSubject::Command(command) => {
            lines.extend([PaintedLine::plain("  Would you like to run the following command?"), PaintedLine::empty()]);
            lines.extend([PaintedLine::plain("  Environment: local"), PaintedLine::empty()]);
            if !question.reason.is_empty() {
                lines.extend(wrapped(&format!("Reason: {}", question.reason)));
                lines.push(PaintedLine::empty());
            }
            lines.extend(wrapped(&format!("$ {command}")));
            let start = format!("Yes, and don't ask again for commands that start with `{command}` (p)");
            vec!["Yes, proceed (y)".to_owned(), start]
        }
        QuestionSubject::Tool { .. } => Vec::new(),
    };
    lines.extend([PaintedLine::empty(), PaintedLine::empty()]);
    let refuse = "No, and tell Codex what to do differently (esc)".to_owned();
    for (index, text) in options.into_iter().chain([refuse]).enumerate() {
        lines.push(option(index, &text, question.marked));
    }
    lines.extend([PaintedLine::empty(), PaintedLine::styled("  Press enter to confirm or esc to cancel", GREY)]);
    let cursor = (lines.len() - 1, 0);
    PaintedRows { lines, cursor, cursor_shown: false }
}

/// Permission for MCP tools is asked in a form with one field.
fn tool_form(server: &str, tool: &str, marked: usize) -> PaintedRows {
    let options = [
        ("Allow", "Run the tool and continue"),
        ("Allow for this session", "Run the tool and remember this choice for this session"),
        ("Always allow", "Run the tool and remember this choice for future tool calls"),
        ("Cancel", "Cancel this tool call"),
    ];
    let mut lines = vec![
        PaintedLine::empty().shaded(BOX),
        PaintedLine::styled("  Field 1/1", TextLook::DIM).shaded(BOX),
        PaintedLine::plain(format!("  Allow the {server} MCP server to run tool \"{tool}\"?")).shaded(BOX),
    ];
    for (index, (name, meaning)) in options.into_iter().enumerate() {
        let (mark, look) = if index == marked { ("›", BLUE) } else { (" ", TextLook::PLAIN) };
        let line =
            PaintedLine::styled(format!("  {mark} {}. {name:<22}  ", index + 1), look).with(meaning, TextLook::DIM);
        lines.push(line.shaded(BOX));
    }
    lines.push(PaintedLine::styled("  enter to submit | esc to cancel", GREY).shaded(BOX));
    lines.push(PaintedLine::empty().shaded(BOX));
    PaintedRows { lines, cursor: (3 + marked, 1), cursor_shown: false }
}

fn draw_dialog(scene: &Scene, dialog: &ChoiceDialog) -> PaintedRows {
    let mut lines = vec![PaintedLine::empty()];
    for text in &dialog.text {
        let rows = wrap(text, scene.cols().saturating_sub(4));
        lines.extend(rows.into_iter().map(|row| PaintedLine::plain(format!("  {row}").trim_end().to_owned())));
    }
    lines.push(PaintedLine::empty());
    for (index, text) in dialog.options.iter().enumerate() {
        lines.push(option(index, text, dialog.marked));
    }
    lines.extend([PaintedLine::empty(), PaintedLine::styled(format!("  {}", dialog.hint), GREY)]);
    PaintedRows { cursor: (lines.len() - 1, 1), lines, cursor_shown: false }
}
