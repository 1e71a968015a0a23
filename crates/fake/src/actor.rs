//! The fake's main object: owns the scene, the turn, the servers and the terminal, and handles time and input.
//!
//! It runs on one thread and never blocks: a step that takes time states what it waits for, and the loop in
//! [`run`](crate::run()) calls again.

mod calls;
mod keyboard;
mod steps;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::command_line::CommandLine;
use crate::costume::{CostumeFitting, costume};
use crate::draft::PromptDraft;
use crate::hooks::HookRunner;
use crate::keys::TypedKeyDecoder;
use crate::make::AgentMake;
use crate::mcp_client::McpClient;
use crate::options::FakeOptions;
use crate::run::{ActorInput, pace};
use crate::scene::{CallState, Scene, SceneEntry, SceneFront, ShellState};
use crate::server_config::CODEX_PASSES_ON;
use crate::stage::SceneScreen;
use crate::terminal;
use crate::turn::{CallStage, FakeTurn, TurnWait};
use crate::values::ScriptVariables;

/// What a conversation is called that goes on with no other.
const NEW_CONVERSATION: &str = "fake-session";

/// How the fake ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PerformanceEnd {
    /// Normally, with this exit code.
    Exit(u8),
    /// Immediately, without any output.
    Crash(u8),
    /// The terminal is gone.
    NobodyLooks,
}

pub(crate) struct FakeActor {
    options: FakeOptions,
    line: CommandLine,
    scene: Scene,
    stage: SceneScreen,
    decoder: TypedKeyDecoder,
    /// The time of the last keyboard input.
    heard: Instant,
    /// The time of the last burst of characters or large paste, for the burst rule.
    burst: Option<Instant>,
    clients: Vec<McpClient>,
    connecting: bool,
    incoming: SyncSender<ActorInput>,
    hooks: HookRunner,
    turn: Option<FakeTurn>,
    variables: ScriptVariables,
    prompts: usize,
    /// Reactions with `once` that have been played.
    spent: BTreeSet<usize>,
    /// What the person has allowed permanently.
    always: BTreeSet<String>,
    /// A notification that is sent unless something happens before its time.
    nudge: Option<(Instant, &'static str)>,
    ending: Option<PerformanceEnd>,
}

/// A lone Escape counts as a key after this time.
const ESCAPE_PATIENCE: Duration = Duration::from_millis(30);
/// Interval at which the size is polled: a notification would take a signal handler, which needs unsafe code.
const SIZE_LOOK: Duration = Duration::from_millis(200);
/// When claude sends reminders of a question, and of its being idle.
const QUESTION_NUDGE_MS: u64 = 6_000;
const IDLE_NUDGE_MS: u64 = 60_000;

impl FakeActor {
    pub(crate) fn new(options: FakeOptions, line: CommandLine, incoming: SyncSender<ActorInput>) -> Self {
        let folder = options.working_dir.to_string_lossy().into_owned();
        let project = options.working_dir.file_name().map_or_else(|| "/".into(), |name| name.to_string_lossy());
        let known_terminal = matches!(options.variable("TERM_PROGRAM"), Some("ghostty" | "WezTerm"));
        let fitting = CostumeFitting { make: options.make, alternate_screen: line.alternate_screen, known_terminal };
        let now = Instant::now();
        let scene = Scene {
            size: terminal::size(),
            project: project.into_owned(),
            folder,
            started: now,
            is_open: false,
            is_up: false,
            booting: false,
            connected_servers: 0,
            topic: String::new(),
            entries: Vec::new(),
            draft: PromptDraft::default(),
            ghost_text: line.script.settings.ghost_text.clone(),
            queued: Vec::new(),
            work: None,
            front: SceneFront::PromptBox,
            unseen_end: false,
            leaving: false,
            interrupting: false,
        };
        let settings = line.settings.as_ref().filter(|_| line.script.settings.run_hooks);
        let hooks = HookRunner::new(
            settings,
            line.notify.clone(),
            line.resumed.clone().unwrap_or_else(|| NEW_CONVERSATION.into()),
            options.environment.clone(),
            options.working_dir.clone(),
        );
        FakeActor {
            scene,
            stage: SceneScreen::new(costume(fitting)),
            decoder: TypedKeyDecoder::default(),
            heard: now,
            burst: None,
            clients: Vec::new(),
            connecting: false,
            incoming,
            hooks,
            turn: Some(FakeTurn::new(&line.script.start, None)),
            variables: ScriptVariables::default(),
            prompts: 0,
            spent: BTreeSet::new(),
            always: BTreeSet::new(),
            nudge: None,
            ending: None,
            options,
            line,
        }
    }

    pub(crate) fn enter(&mut self) {
        self.write(&self.stage.costume.hello());
    }

    /// The exit code.
    pub(crate) fn leave(&mut self, ending: PerformanceEnd) -> u8 {
        match ending {
            PerformanceEnd::Exit(code) => {
                self.hooks.fire("SessionEnd", json!({ "reason": "prompt_input_exit" }));
                self.write(&self.stage.costume.farewell());
                code
            }
            // As in a crash: the terminal stays raw, and children are not waited for.
            PerformanceEnd::Crash(code) => std::process::exit(code.into()),
            PerformanceEnd::NobodyLooks => 0,
        }
    }

    pub(crate) fn take(&mut self, incoming: ActorInput, now: Instant) {
        match incoming {
            ActorInput::Keys(bytes) => {
                self.heard = now;
                self.press_all(&bytes, now);
            }
            ActorInput::EndOfKeys => self.ending = Some(PerformanceEnd::Exit(0)),
            ActorInput::Server(index, line) => self.hear(index, line.as_deref()),
        }
    }

    /// Handles everything that is due.
    pub(crate) fn advance(&mut self, now: Instant) -> Option<PerformanceEnd> {
        if self.decoder.is_undecided()
            && now.saturating_duration_since(self.heard) >= ESCAPE_PATIENCE
            && let Some(key) = self.decoder.settle()
        {
            self.press(key, now);
        }
        self.scene.size = terminal::size();
        if let Some((_, message)) = self.nudge.take_if(|(due, _)| *due <= now) {
            let kind = if self.turn.is_some() { "permission_prompt" } else { "idle_prompt" };
            self.hooks.fire("Notification", json!({ "message": message, "notification_type": kind }));
        }
        while self.ending.is_none() && self.play_step(now) {}
        self.ending
    }

    pub(crate) fn draw(&mut self, now: Instant) -> io::Result<()> {
        if self.turn.as_ref().is_some_and(|turn| matches!(turn.wait, TurnWait::Flood { .. })) {
            return Ok(());
        }
        let bytes = self.stage.draw(&self.scene, now);
        if bytes.is_empty() { Ok(()) } else { terminal::write(bytes.as_bytes()) }
    }

    /// How long the loop may wait for input.
    pub(crate) fn until_next_look(&self, now: Instant) -> Duration {
        let until = |due: Instant| due.saturating_duration_since(now);
        let turn = self.turn.as_ref().and_then(|turn| match &turn.wait {
            TurnWait::Until(due) | TurnWait::Words { due, .. } => Some(until(*due)),
            TurnWait::Nothing | TurnWait::Flood { .. } => Some(Duration::ZERO),
            _ => None,
        });
        let escape = self.decoder.is_undecided().then(|| until(self.heard + ESCAPE_PATIENCE));
        let frame = self.stage.until_next_frame(&self.scene, now);
        let nudge = self.nudge.map(|(due, _)| until(due));
        [turn, escape, frame, nudge].into_iter().flatten().fold(SIZE_LOOK, Duration::min)
    }

    fn pace(&self, ms: u64) -> Duration {
        pace(self.line.fast, ms)
    }

    /// Writes to the terminal directly, not through the painter. A closed terminal is noticed at the next frame.
    fn write(&self, text: &str) {
        let _ = terminal::write(text.as_bytes());
    }

    /// Draws the header and the box, and starts the servers.
    fn open(&mut self) {
        self.scene.is_open = true;
        if !self.scene.is_up {
            self.scene.is_up = true;
            if let Some(conversation) = &self.line.resumed {
                self.scene.entries.push(SceneEntry::Answer(format!("Resumed conversation {conversation}")));
            }
            self.hooks.fire("SessionStart", json!({ "source": "startup" }));
        }
        self.connect();
    }

    fn connect(&mut self) {
        if self.connecting || !self.line.script.settings.connect {
            return;
        }
        self.connecting = true;
        let environment = self.server_environment();
        for config in self.line.servers.clone() {
            let name = config.name.clone();
            let index = self.clients.len();
            let era = self.line.script.settings.mcp_era;
            let started = McpClient::start(config, self.options.make, era, &environment, index, self.incoming.clone());
            match started {
                Ok(client) => self.clients.push(client),
                Err(error) => {
                    let text = format!("MCP server {name} failed to start: {error}");
                    self.scene.entries.push(SceneEntry::Answer(text));
                }
            }
        }
        self.scene.booting = !self.clients.is_empty();
    }

    fn server_environment(&self) -> Vec<(OsString, OsString)> {
        let mut passed = self.options.environment.clone();
        match self.options.make {
            AgentMake::Codex => passed.retain(|(key, _)| CODEX_PASSES_ON.iter().any(|name| key == name)),
            AgentMake::Claude => {
                passed.push(("CLAUDE_CODE_SESSION_ID".into(), "fake-session".into()));
                passed.push(("CLAUDE_PROJECT_DIR".into(), self.options.working_dir.clone().into()));
            }
            AgentMake::Opencode => {}
        }
        passed
    }

    /// Takes a prompt, or queues it.
    fn submit(&mut self, text: String, shown: String, now: Instant) {
        if self.turn.is_some() {
            self.scene.queued.push(text);
            return;
        }
        self.nudge = None;
        self.prompts += 1;
        self.hooks.fire("UserPromptSubmit", json!({ "prompt": text }));
        if self.scene.topic.is_empty() {
            self.scene.topic = crate::wrap::cut(text.lines().next().unwrap_or_default(), 40);
        }
        self.scene.entries.push(SceneEntry::Prompt { shown, text: text.clone() });
        self.scene.work = Some(crate::scene::TurnInProgress { since: now, streaming: false });
        self.scene.unseen_end = false;
        let steps = self.reaction_to(&text);
        self.turn = Some(FakeTurn::new(&steps, Some(text)));
    }

    /// The turn has ended normally.
    fn finish_turn(&mut self, now: Instant) {
        let Some(turn) = self.turn.take() else { return };
        if let Some(work) = self.scene.work.take() {
            let took = now.saturating_duration_since(work.since);
            self.scene.entries.push(SceneEntry::Finished { took, at: time_of_day() });
        }
        self.scene.interrupting = false;
        match turn.prompt {
            None => {
                self.open();
                if let Some(prompt) = self.line.prompt.take() {
                    self.scene.queued.insert(0, prompt);
                }
            }
            Some(prompt) => {
                self.scene.unseen_end = true;
                let last = &turn.last_answer;
                self.hooks.fire("Stop", json!({ "stop_hook_active": false, "last_assistant_message": last }));
                self.hooks.turn_is_done(last, &prompt);
                if self.line.notify_terminal {
                    let text = crate::stage::one_line(last);
                    self.write(&self.stage.costume.notification(&text));
                }
                self.nudge = Some((now + self.pace(IDLE_NUDGE_MS), "Claude is waiting for your input"));
            }
        }
        self.take_queued(now);
    }

    /// Escape, or a refusal: no hook is run for it.
    fn interrupt_turn(&mut self, now: Instant) {
        let Some(turn) = self.turn.take() else { return };
        match &turn.wait {
            TurnWait::Replies(calls) => {
                for call in calls {
                    if let CallStage::Sent(id) = call.stage {
                        self.clients[call.server].cancel(id);
                    }
                }
            }
            TurnWait::Flood { .. } => {
                let after = self.stage.after_raw_output(&self.scene, now);
                self.write(after);
            }
            _ => {}
        }
        for entry in &mut self.scene.entries {
            match entry {
                SceneEntry::Call { state: state @ CallState::Running, .. } => {
                    *state = CallState::Failed("interrupted".into())
                }
                SceneEntry::Shell { state, .. } | SceneEntry::Write { state, .. } if *state == ShellState::Waiting => {
                    *state = ShellState::Refused;
                }
                _ => {}
            }
        }
        self.scene.front = SceneFront::PromptBox;
        self.scene.work = None;
        self.scene.interrupting = false;
        self.nudge = None;
        if turn.prompt.is_some() {
            self.scene.entries.push(SceneEntry::Interrupted);
        } else {
            self.open();
        }
        self.take_queued(now);
    }

    fn take_queued(&mut self, now: Instant) {
        if !self.scene.queued.is_empty() {
            let text = self.scene.queued.remove(0);
            self.submit(text.clone(), text, now);
        }
    }
}

/// Hour and minute, UTC.
fn time_of_day() -> (u64, u64) {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_secs());
    (seconds / 3600 % 24, seconds / 60 % 60)
}

/// The variables from a prompt's match: numbered and named groups.
fn captured(captures: &regex::Captures<'_>, pattern: &regex::Regex) -> Vec<(String, Value)> {
    let text = |found: Option<regex::Match<'_>>| json!(found.map(|found| found.as_str()).unwrap_or_default());
    let numbered = (0..captures.len()).map(|number| (number.to_string(), text(captures.get(number))));
    let named = pattern.capture_names().flatten().map(|name| (name.to_owned(), text(captures.name(name))));
    numbered.chain(named).collect()
}
