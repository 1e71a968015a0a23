//! The interface's state. Layers get it as their context: they change it, and draw from it.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use engine::SessionId;
use ops::{Call, Caller, Context, OpError};
use program::Surroundings;
use project::{Project, Settings, WaitingAgent, settings::StatusPart};
use serde_json::Value;
use tokio::{runtime::Handle, sync::mpsc};
use tui::{KeySequence, Keymap, Layer, Rect, Sign, Skin};
use vt::Size;

use super::{
    attach_mode::AttachMode, attention, branch, commands, frame::ScreenPlaces, recordings, remote_sessions,
    scratchpads, sessions::SessionItems, sources::SessionHandle, themes, toasts::ToastStack, trust_prompt,
};

/// The result of a background task, to be applied in the loop.
pub(crate) type LoopTask = Box<dyn FnOnce(&mut InterfaceState) + Send>;

/// What has the keyboard when no layer takes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum KeyboardFocus {
    #[default]
    Pane,
    Rail,
}

/// The person's settings of the rail.
#[derive(Clone, Debug)]
pub(crate) struct RailState {
    pub(crate) visible: bool,
    pub(crate) cols: u16,
    pub(crate) side: project::settings::Side,
    /// The selected row: the tree's rows first, then the scratchpads'.
    pub(crate) cursor: usize,
}

/// Palette entries that later runs don't list: they name sessions, or are a further step of another entry.
const PASSING: [&str; 5] = ["show/", "waiting/", "trust/", "remote/", themes::ENTRY];

/// Entries that only explain why something can't be run: taken by mistake, they must not come first the next time.
pub(crate) const CANT_RUN: &str = "cant-run/";

/// An action for the loop to perform, which owns the terminal.
#[derive(Debug)]
pub(crate) enum HostOrder {
    /// Bytes for the host besides the frame.
    Say(Vec<u8>),
    Suspend,
    Redraw,
    Mouse(bool),
}

/// What is shown around a session's screen and may change together with it, without anybody saying so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AroundScreen {
    name: Option<String>,
    title: String,
    size: Size,
}

pub(crate) struct InterfaceState {
    /// With its engine, agents, trust, presets and scratchpads. Without one, all sessions are coordinators'.
    pub(crate) project: Option<Project>,
    /// How `vtr attach` uses the interface; none for patterm.
    pub(crate) attach: Option<AttachMode>,
    pub(crate) surroundings: Surroundings,
    /// As currently in config.json.
    pub(crate) settings: Settings,
    /// The runtime for operations and their tasks, beside the loop.
    pub(crate) tasks: Handle,
    loop_tasks: mpsc::UnboundedSender<LoopTask>,
    pub(crate) sessions: SessionItems,
    pub(crate) skin: Skin,
    pub(crate) themes: themes::ThemesState,
    /// The host terminal's name and version, which decide how to send notifications.
    pub(crate) host_version: Option<String>,
    /// The host's colours, which children are told.
    pub(crate) theme: Arc<vt::Theme>,
    pub(crate) host_focused: bool,
    /// Whether the host is light or dark, by its last report.
    pub(super) host_scheme: Option<tui::ColorScheme>,
    pub(crate) keymap: Keymap,
    pub(crate) sequence: KeySequence,
    pub(crate) area: Rect,
    pub(crate) rail: RailState,
    pub(super) focus: KeyboardFocus,
    pub(crate) mouse: bool,
    /// Our key bindings are off while this session is in sight.
    pub(crate) pass_through: Option<SessionId>,
    pub(crate) toasts: ToastStack,
    /// The palette entries taken, with a rank by age, for sorting.
    pub(crate) recent: HashMap<String, u64>,
    pub(crate) scratchpads: scratchpads::ScratchpadsState,
    pub(crate) attention: attention::AttentionState,
    pub(crate) recordings: recordings::RecordingsState,
    pub(crate) branch: branch::BranchState,
    pub(crate) remote: remote_sessions::RemoteSessions,
    pub(crate) find: super::find::FindState,
    pub(crate) trust: trust_prompt::TrustPromptState,
    /// Said at the left of the status line, besides who drives: that the engine is shared, for one.
    pub(crate) notes: Vec<String>,
    opening: Vec<Box<dyn Layer<InterfaceState>>>,
    errands: Vec<HostOrder>,
    /// The list of sessions may be out of date.
    pub(crate) stale: bool,
    /// The frame may be out of date.
    pub(crate) dirty: bool,
    /// All sessions of the tab are shown in a grid, with the cursor on this one.
    pub(super) grid: Option<SessionId>,
    /// The session that has the keyboard has printed.
    pub(super) moved: bool,
    /// Another session in sight has printed.
    pub(super) moved_beside: bool,
    /// In this frame, a layer covers the frame and the pane.
    pub(super) covered: bool,
    /// In this frame, only panes' screens have to be drawn.
    pub(super) pane_only: bool,
    /// In this frame, the panes beside the one that has the keyboard have to be drawn too.
    pub(super) beside_too: bool,
    /// The loop should end.
    pub(crate) done: bool,
    /// When the person last typed, clicked or pasted.
    pub(crate) last_input: Option<Instant>,
    /// When the person last typed or pasted.
    pub(crate) last_typed: Option<Instant>,
    /// Sessions that are looked back on, each at the place where the person left it.
    pub(super) looking: HashMap<SessionId, super::look_back::SessionLookBack>,
    /// Sessions whose text is being fetched, to look back on it.
    pub(super) texts_asked: HashMap<SessionId, super::look_back::AwaitedText>,
    /// The text copied last.
    pub(crate) copied: String,
    pub(super) bells: tui::host::BellLimit,
    /// The first run ever on this machine: shows an extra hint.
    pub(crate) first_run: bool,
    pub(super) passing: super::pass_through::PassThroughState,
    pub(super) editing: Vec<super::editor::EditorSession>,
    /// The size available for the panes of a tab.
    pub(super) panes_size: Size,
    /// The size that we last gave to each session.
    pub(super) sizes: HashMap<SessionId, Size>,
    pub(super) pointer: super::input::mouse::PointerState,
    pub(super) held: super::input::PressedKeys,
    /// When a key was last typed for a session that has ended.
    pub(super) typed_in_vain: Option<Instant>,
    /// When a part of a paste was last refused.
    pub(super) paste_cut: Option<Instant>,
}

impl std::fmt::Debug for InterfaceState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("App").field("sessions", &self.sessions).finish_non_exhaustive()
    }
}

impl InterfaceState {
    pub(super) fn new(
        project: Option<Project>,
        settings: Settings,
        surroundings: Surroundings,
        tasks: Handle,
        loop_tasks: mpsc::UnboundedSender<LoopTask>,
        keymap: Keymap,
    ) -> Self {
        let rail = RailState {
            visible: settings.rail.visible,
            cols: settings.rail.width,
            side: settings.rail.side,
            cursor: 0,
        };
        // The newest has the highest number.
        let taken = project.as_ref().map(|project| project.recents().list()).unwrap_or_default();
        let recent = (1..).zip(taken.into_iter().rev()).map(|(number, id)| (id, number)).collect();
        InterfaceState {
            sessions: SessionItems::new(project.as_ref().map(|project| project.engine().clone())),
            scratchpads: project.as_ref().map(scratchpads::ScratchpadsState::new).unwrap_or_default(),
            attention: attention::AttentionState::default(),
            recordings: recordings::RecordingsState::default(),
            branch: branch::BranchState::default(),
            remote: remote_sessions::RemoteSessions::default(),
            find: super::find::FindState::default(),
            trust: trust_prompt::TrustPromptState::default(),
            project,
            attach: None,
            settings,
            surroundings,
            tasks,
            loop_tasks,
            skin: Skin::default(),
            themes: themes::ThemesState::default(),
            host_version: None,
            theme: Arc::default(),
            host_focused: true,
            host_scheme: None,
            keymap,
            sequence: KeySequence::new(super::keys::SEQUENCE_WAIT),
            area: Rect::default(),
            rail,
            focus: KeyboardFocus::default(),
            mouse: true,
            pass_through: None,
            toasts: ToastStack::default(),
            recent,
            notes: Vec::new(),
            opening: Vec::new(),
            errands: Vec::new(),
            stale: true,
            dirty: true,
            grid: None,
            moved: false,
            moved_beside: false,
            covered: false,
            pane_only: false,
            beside_too: true,
            done: false,
            last_input: None,
            last_typed: None,
            looking: HashMap::new(),
            texts_asked: HashMap::new(),
            copied: String::new(),
            bells: Default::default(),
            first_run: false,
            passing: super::pass_through::PassThroughState::default(),
            editing: Vec::new(),
            panes_size: Size::new(0, 0),
            sizes: HashMap::new(),
            pointer: super::input::mouse::PointerState::default(),
            held: super::input::PressedKeys::default(),
            typed_in_vain: None,
            paste_cut: None,
        }
    }

    /// Puts a layer on top of all others, after the current event is handled.
    pub(crate) fn open(&mut self, layer: impl Layer<InterfaceState> + 'static) {
        self.opening.push(Box::new(layer));
        self.dirty = true;
    }

    pub(super) fn take_opening(&mut self) -> Vec<Box<dyn Layer<InterfaceState>>> {
        std::mem::take(&mut self.opening)
    }

    pub(crate) fn errand(&mut self, errand: HostOrder) {
        self.errands.push(errand);
    }

    pub(super) fn take_errands(&mut self) -> Vec<HostOrder> {
        std::mem::take(&mut self.errands)
    }

    /// Shows a notice in the corner.
    pub(crate) fn toast(&mut self, sign: Sign, text: impl Into<String>) {
        self.toasts.show(sign, text);
        self.dirty = true;
    }

    /// Shows an error and its hint.
    pub(crate) fn complain(&mut self, error: &OpError) {
        let text = match error.hint.is_empty() {
            true => error.message.clone(),
            false => format!("{}: {}", error.message, error.hint),
        };
        self.toast(Sign::Failed, text);
    }

    /// Remembers that a palette entry was taken, to list it first from now on, also in later runs if it exists then.
    pub(crate) fn took(&mut self, entry: String) {
        // As the first entry, it would end the next run at the first careless Enter.
        if entry == commands::QUIT || entry.starts_with(CANT_RUN) {
            return;
        }
        let newest = self.recent.values().max().copied().unwrap_or_default();
        if let Some(project) = &self.project
            && !PASSING.iter().any(|passing| entry.starts_with(passing))
        {
            self.tasks.spawn(project.recents().note(entry.clone()));
        }
        self.recent.insert(entry, newest + 1);
    }

    /// An id that no session here gets, for one that runs elsewhere.
    pub(crate) fn foreign_id(&self) -> SessionId {
        let free = |id: &SessionId| self.sessions.get(*id).is_none();
        match &self.project {
            Some(project) => project.engine().foreign_id(),
            None => std::iter::repeat_with(SessionId::random).find(free).expect("the iterator never ends"),
        }
    }

    /// The channel through which a task reports back to the loop.
    pub(crate) fn loop_tasks(&self) -> mpsc::UnboundedSender<LoopTask> {
        self.loop_tasks.clone()
    }

    /// Runs an operation as the human, beside the loop, and then `then` in the loop.
    pub(crate) fn call(
        &mut self,
        operation: &str,
        arguments: Value,
        then: impl FnOnce(&mut InterfaceState, Result<Value, OpError>) + Send + 'static,
    ) {
        let (loop_tasks, operation) = (self.loop_tasks(), operation.to_owned());
        // A session of a coordinator is unknown to the project's operations.
        let named = arguments["process_id"].as_str().and_then(|id| id.parse().ok());
        let elsewhere = named.and_then(|id| self.sessions.get(id)?.session.call(&operation, &arguments));
        if let Some(call) = elsewhere {
            self.tasks.spawn(async move {
                let outcome = call.await;
                let _ = loop_tasks.send(Box::new(move |app| then(app, outcome)));
            });
            return;
        }
        let Some(project) = self.project.clone() else {
            let error = OpError::invalid_args("only patterm can do this");
            return then(self, Err(error));
        };
        self.tasks.spawn(async move {
            let context = project.clone();
            let outcome = match context.table().get(&operation) {
                Some(entry) => entry.run(Call::new(project, Caller::operator()), arguments).await,
                None => Err(OpError::invalid_args(format!("there is no operation '{operation}'"))),
            };
            // After the end of the loop there is nobody to report to.
            let _ = loop_tasks.send(Box::new(move |app| then(app, outcome)));
        });
    }

    /// Runs an operation, and reports only a failure.
    pub(crate) fn order(&mut self, operation: &str, arguments: Value) {
        self.call(operation, arguments, |app, outcome| {
            if let Err(error) = outcome {
                app.complain(&error);
            }
        });
    }

    /// The name of the program that we are.
    pub(crate) fn program(&self) -> &'static str {
        if self.attach.is_some() { "vtr" } else { "patterm" }
    }

    /// Between two frames: 60 a second, and 30 where each comes through a coordinator.
    pub(super) fn frame_gap(&self) -> Duration {
        Duration::from_secs(1) / if self.attach.is_some() { 30 } else { 60 }
    }

    /// What the agent in a session waits for.
    pub(crate) fn waiting_agent(&self, session: SessionId) -> Option<WaitingAgent> {
        self.project.as_ref()?.crew().waiting_in(session)
    }

    /// The session that has the keyboard.
    pub(crate) fn session(&self) -> Option<&SessionHandle> {
        self.sessions.focused().map(|item| &item.session)
    }

    pub(crate) fn session_id(&self) -> Option<SessionId> {
        self.sessions.focused().map(|item| item.id)
    }

    /// Shows a session, in its tab.
    pub(crate) fn show(&mut self, id: SessionId) {
        if self.sessions.focus(id) {
            attention::looked_at(self, id);
            self.pass_through = self.pass_through.filter(|passed| *passed == id);
            self.grid = None;
            self.stale = true;
            self.dirty = true;
        }
    }

    /// What stands around the screen of the session with the keyboard, where it is shown and others may change it.
    pub(super) fn around_screen(&self) -> Option<AroundScreen> {
        let shown = self.attach.is_some() || self.settings.status_line.has(StatusPart::Size);
        let session = self.session().filter(|_| shown)?;
        Some(AroundScreen { name: session.name(), title: session.title(), size: session.frame().size })
    }

    /// What has the keyboard; never a rail that is not on the screen.
    pub(super) fn focus(&self) -> KeyboardFocus {
        match self.focus {
            KeyboardFocus::Rail if self.places().rail.is_none() => KeyboardFocus::Pane,
            focus => focus,
        }
    }

    pub(super) fn wants_drawing(&self) -> bool {
        self.dirty || self.moved || self.moved_beside
    }

    pub(crate) fn places(&self) -> ScreenPlaces {
        ScreenPlaces::of(self)
    }
}
