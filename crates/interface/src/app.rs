//! The interface: one loop that handles the host's input and the sessions' output, and draws.
//!
//! The loop has its own thread and never waits for a session: operations run as tasks beside it and report back. Only
//! what is in sight is drawn, at most 60 times a second, in one write. `ops` and `project` decide what can be done with
//! sessions; `tui` knows how cells get to the host.

mod attach_mode;
mod attention;
mod branch;
mod child_wishes;
mod closing;
mod commands;
mod editor;
mod entry;
mod event_sources;
mod find;
mod following;
mod frame;
mod grid;
mod help;
mod history;
mod inbox;
mod input;
mod keys;
mod leader;
mod line_prompt;
mod links;
mod look_back;
mod minute;
mod model;
mod news;
mod opening;
mod outward;
mod ownership;
mod pace;
mod palette;
mod panic_hook;
mod pass_through;
mod project_events;
mod question;
mod quitting;
mod recordings;
mod remote_sessions;
mod renaming;
mod scratchpads;
mod sessions;
mod sources;
mod splitting;
mod start;
mod terminal;
mod text_view;
mod themes;
mod toasts;
mod trust_prompt;
mod upkeep;

use std::time::{Duration, Instant};

use engine::SessionId;
use project::{Settings, settings::StatusPart};
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::mpsc,
};
use tui::{
    Canvas, HostEvent, LayerStack, Rect,
    host::{HostError, HostTerminal, OutwardStatus, set_title},
    is_same_key,
};
use vt::input::{FocusChange as HostFocus, KeyEvent};

use self::{
    event_sources::{EventSources, LoopEvent, ProjectSources},
    model::{AroundScreen, HostOrder, InterfaceState, KeyboardFocus, LoopTask},
    pace::FramePacing,
    terminal::FaceTerminal,
};
use program::{EndWatch, Exit, Failure};

pub use self::{
    attach_mode::{AttachEnd, AttachWishes},
    entry::{StartNotices, attach, find_terminal, run},
    following::SettingsFile,
    leader::LeaderKeys,
    themes::theme_fault,
};

/// Hidden sessions get a new size once it has been stable for this long.
const SETTLED: Duration = Duration::from_millis(200);
/// If we were stopped and nobody continued us, we continue by ourselves after this time.
const STOP_PATIENCE: Duration = Duration::from_millis(500);

/// Something that keys can be bound to, and how it is typed.
#[derive(Clone, Debug)]
pub struct BoundCommand {
    pub id: String,
    pub title: String,
    pub section: &'static str,
    /// The shortest keys, and one's own before the built-in ones.
    pub keys: Option<String>,
    /// All of them.
    pub all_keys: Vec<String>,
}

/// What can be done on the screen, with these settings.
#[derive(Clone, Debug)]
pub struct CommandBindings {
    pub commands: Vec<BoundCommand>,
    /// Mistakes in the settings' key bindings.
    pub faults: Vec<String>,
}

/// The table of commands, for people who bind keys; presets and operations only where keys are bound to them.
pub fn bindings(settings: &Settings) -> CommandBindings {
    let (keymap, faults) = keys::keymap(settings);
    let bound = |id: &str, title: &str, section| BoundCommand {
        id: id.to_owned(),
        title: title.to_owned(),
        section,
        keys: keymap.keys_of(id),
        all_keys: keymap.iter().filter(|(_, bound)| *bound == id).map(|(keys, _)| keys).collect(),
    };
    let ours = commands::all().filter(|command| command.is_in_patterm());
    let table = ours.map(|command| bound(command.id, command.title, command.section.title()));
    let own = keys::beyond_the_table(&keymap);
    let own = own.iter().map(|id| bound(id, id, "Presets and operations"));
    CommandBindings { commands: table.chain(own).collect(), faults }
}

impl From<FaceError> for Failure {
    fn from(error: FaceError) -> Self {
        match error {
            FaceError::System(what, error) => Failure::system(what, &error),
            error => Failure::new(Exit::Refused, "system", error.to_string()),
        }
    }
}

/// Why the loop ended without being asked to.
#[derive(Debug, thiserror::Error)]
enum FaceError {
    /// The terminal is gone: the same as leaving.
    #[error("the terminal is gone")]
    Gone,
    #[error(transparent)]
    Host(HostError),
    #[error("{0}: {1}")]
    System(&'static str, std::io::Error),
}

impl From<HostError> for FaceError {
    fn from(error: HostError) -> Self {
        match error {
            HostError::Io { source, .. } if source.raw_os_error() == Some(rustix::io::Errno::IO.raw_os_error()) => {
                FaceError::Gone
            }
            error => FaceError::Host(error),
        }
    }
}

struct TerminalFace {
    app: InterfaceState,
    terminal: FaceTerminal,
    layers: LayerStack<InterfaceState>,
    canvas: Canvas,
    pace: FramePacing,
    outward: OutwardStatus,
    /// The title that the host has from us; empty if it has none.
    title: String,
    /// What stood around the screen of the session with the keyboard when it was drawn last.
    around: Option<AroundScreen>,
    sources: EventSources,
    events: Vec<HostEvent>,
    next_tick: Instant,
    /// When hidden sessions get the size of the one in sight.
    settles: Option<Instant>,
    /// When we were stopped by ourselves; we continue at the latest `STOP_PATIENCE` after that.
    stopped: Option<Instant>,
}

impl TerminalFace {
    /// Must be called inside a runtime of its own.
    fn start(
        app: InterfaceState,
        loop_tasks: mpsc::UnboundedReceiver<LoopTask>,
        host: HostTerminal,
        wishes: EndWatch,
    ) -> Result<Self, FaceError> {
        let listen = |kind| signal(kind).map_err(|error| FaceError::System("listening to signals", error));
        let sources = EventSources {
            project: app.project.as_ref().map(ProjectSources::of),
            loop_tasks,
            wishes,
            resized: listen(SignalKind::window_change())?,
            continued: listen(SignalKind::from_raw(rustix::process::Signal::CONT.as_raw()))?,
            pulse: None,
            beside: Vec::new(),
            child: None,
        };
        let mut events = Vec::new();
        let terminal = FaceTerminal::enter(host, &app.surroundings, &mut events)?;
        let mut layers = LayerStack::default();
        layers.push(Box::new(input::BaseLayer));
        let now = Instant::now();
        let mut face = TerminalFace {
            canvas: Canvas::new(terminal.size()),
            terminal,
            layers,
            pace: FramePacing::new(now, app.frame_gap()),
            outward: OutwardStatus::new(app.program()),
            title: String::new(),
            around: None,
            sources,
            events,
            next_tick: minute::next(now),
            settles: None,
            stopped: None,
            app,
        };
        face.learn();
        face.measure();
        Ok(face)
    }

    /// Returns the state at the end.
    async fn run(mut self) -> Result<InterfaceState, FaceError> {
        while !self.app.done {
            self.settle()?;
            let now = Instant::now();
            if self.app.wants_drawing() && self.stopped.is_none() && self.pace.is_due(now) {
                self.draw()?;
                self.pace.drawn(Instant::now());
                branch::look(&mut self.app, now);
            }
            let wake = self.wait().await;
            self.woken(wake)?;
            let events = std::mem::take(&mut self.events);
            for event in events {
                self.event(event);
                // A key that follows a change of the panes is for a program that has its new size.
                if self.app.dirty {
                    self.settle()?;
                }
            }
            self.run_errands()?;
        }
        self.leave_host();
        // The last keys may have moved something that was not drawn any more.
        opening::note_layout(&self.app);
        Ok(self.app)
    }

    async fn wait(&mut self) -> LoopEvent {
        let (until, dirty) = (self.deadline(), self.app.wants_drawing());
        self.sources.listen(self.terminal.next(), until, dirty, self.pace.waits_for_echo()).await
    }

    /// When something is due though nothing happens.
    fn deadline(&self) -> Instant {
        let frame = (self.app.wants_drawing() && self.stopped.is_none()).then(|| self.pace.next());
        let all = [
            Some(self.next_tick),
            frame,
            self.terminal.deadline(),
            self.app.sequence.deadline(),
            self.app.toasts.deadline(),
            recordings::deadline(&self.app),
            branch::deadline(&self.app),
            trust_prompt::deadline(&self.app),
            input::mouse::deadline(&self.app),
            self.settles,
            self.stopped,
        ];
        all.into_iter().flatten().min().unwrap_or(self.next_tick)
    }

    fn woken(&mut self, wake: LoopEvent) -> Result<(), FaceError> {
        match wake {
            LoopEvent::Input(None) => return Err(FaceError::Gone),
            LoopEvent::Input(Some(bytes)) => {
                self.terminal.hear(&bytes, &mut self.events);
                if self.terminal.has_learnt() {
                    self.learn();
                }
            }
            LoopEvent::Engine => self.app.stale = true,
            LoopEvent::Project(event) => {
                match event {
                    Some(event) => project_events::heard(&mut self.app, event),
                    None => project_events::missed(&mut self.app),
                }
                self.layers.refresh(&mut self.app);
            }
            LoopEvent::Recording(event) => recordings::heard(&mut self.app, event),
            LoopEvent::Task(task) => {
                task(&mut self.app);
                self.layers.refresh(&mut self.app);
            }
            LoopEvent::Output => {
                self.app.moved = true;
                self.pace.answered(Instant::now());
            }
            LoopEvent::OutputBeside => self.app.moved_beside = true,
            LoopEvent::Child(event) => child_wishes::heard(&mut self.app, event),
            LoopEvent::Resized => {
                self.measure();
                // Even if the size is the same: the host may have had another size in between, and lost cells then.
                self.terminal.forget();
                self.app.dirty = true;
            }
            LoopEvent::Continued => self.go_on()?,
            LoopEvent::End(why) => {
                if let Some(attach) = &mut self.app.attach {
                    attach.end = Some(AttachEnd::Signal(why));
                }
                self.app.done = true;
            }
            LoopEvent::Time => self.time()?,
        }
        Ok(())
    }

    fn time(&mut self) -> Result<(), FaceError> {
        let now = Instant::now();
        self.terminal.expire(now, &mut self.events);
        if self.app.sequence.deadline().is_some_and(|deadline| deadline <= now) {
            input::expire_sequence(&mut self.app);
        }
        self.app.dirty |= self.app.toasts.expire(now);
        if recordings::deadline(&self.app).is_some_and(|deadline| deadline <= now) {
            recordings::tick(&mut self.app, now);
        }
        if input::mouse::deadline(&self.app).is_some_and(|deadline| deadline <= now) {
            input::mouse::tick(&mut self.app, now);
        }
        if trust_prompt::deadline(&self.app).is_some_and(|deadline| deadline <= now) {
            trust_prompt::tick(&mut self.app);
        }
        if self.settles.is_some_and(|settles| settles <= now) {
            self.settles = None;
            self.size_hidden(now);
        }
        if self.stopped.is_some_and(|stopped| stopped <= now) {
            self.go_on()?;
        }
        if branch::deadline(&self.app).is_some_and(|deadline| deadline <= now) {
            branch::look(&mut self.app, now);
        }
        if self.next_tick <= now {
            self.next_tick = minute::next(now);
            // The times on the screen changed; an unchanged canvas costs no bytes.
            self.app.dirty |= !self.app.sessions.is_empty() || self.app.settings.status_line.has(StatusPart::Clock);
            branch::look(&mut self.app, now);
        }
        Ok(())
    }

    fn event(&mut self, event: HostEvent) {
        match &event {
            HostEvent::Key(key) if shall_panic(&self.app, key) => panic!("asked to panic"),
            HostEvent::Key(key) => {
                self.app.held.pressed(key);
                self.pace.typed(Instant::now());
                self.app.last_input = Some(Instant::now());
                self.app.last_typed = self.app.last_input;
            }
            HostEvent::Paste(_) => {
                self.app.last_input = Some(Instant::now());
                self.app.last_typed = self.app.last_input;
            }
            HostEvent::Mouse(_) => self.app.last_input = Some(Instant::now()),
            HostEvent::Focus(focus) => {
                self.app.host_focused = *focus == HostFocus::Gained;
                attention::came_back(&mut self.app);
            }
            HostEvent::ColorScheme(scheme) => {
                self.app.dress(Some(*scheme));
                // Its colours have changed.
                self.app.errand(HostOrder::Say(tui::host::HostProbe::colors()));
                return;
            }
            _ => {}
        }
        self.layers.update(&event, &mut self.app);
        self.open_layers();
    }

    fn open_layers(&mut self) {
        for layer in self.app.take_opening() {
            self.layers.push(layer);
            self.app.dirty = true;
        }
    }

    /// Handles what the host reported about itself.
    fn learn(&mut self) {
        let known = self.terminal.abilities();
        self.app.host_version = known.version.clone();
        let (theme, scheme) = (known.theme(), known.color_scheme());
        if *self.app.theme != theme {
            self.app.sessions.items().iter().for_each(|item| item.session.set_theme(&theme));
            self.app.theme = theme.into();
        }
        self.app.dress(Some(scheme));
    }

    fn measure(&mut self) {
        let size = self.terminal.size();
        if self.app.area.size() != size {
            self.app.area = Rect::of(size);
            self.canvas.resize(size);
            if self.app.places().rail_floats {
                // It has lost its place: so has it the keyboard.
                self.app.focus = KeyboardFocus::Pane;
            }
            self.app.dirty = true;
        }
    }

    /// Makes the state agree with the engine, and the session in sight with its area.
    fn settle(&mut self) -> Result<(), FaceError> {
        if self.app.stale {
            self.app.refresh();
            self.layers.refresh(&mut self.app);
        }
        // Notices open layers too.
        self.open_layers();
        let size = self.app.places().panes.size();
        if !frame::too_small(self.app.area) && self.app.panes_size != size {
            self.app.panes_size = size;
            if let Some(project) = &self.app.project {
                project.set_default_size(size);
            }
            self.settles = Some(Instant::now() + SETTLED);
            self.app.dirty = true;
        }
        self.look_at_panes();
        match self.app.session() {
            Some(_) => Ok(()),
            None => Ok(self.terminal.follow(None)?),
        }
    }

    /// The sessions in sight have the sizes of their panes, and are listened to.
    fn look_at_panes(&mut self) {
        if self.app.sessions.is_empty() {
            self.app.grid = None;
        }
        let places = frame::pane_places(&self.app);
        let panes = || places.panes.iter().map(|place| place.session).collect();
        let seen = grid::in_sight(&self.app).unwrap_or_else(panes);
        if self.app.sessions.look_at(seen) {
            self.app.watch_for_news();
            self.app.dirty = true;
        }
        let sized = !frame::too_small(self.app.area);
        for place in places.panes.iter().filter(|_| sized) {
            let Some(session) = self.app.sessions.get(place.session).map(|item| item.session.clone()) else { continue };
            if self.app.fit(&session, place.body.size()) {
                // What shares the tab's panes out of sight has another size then, too.
                self.settles = Some(Instant::now() + SETTLED);
                self.app.dirty = true;
            }
        }
        let session = |id: SessionId| self.app.sessions.get(id).map(|item| &item.session);
        let focused = self.app.session_id();
        if self.sources.pulse.as_ref().map(|(id, _)| *id) != focused {
            let session = focused.and_then(session);
            self.sources.pulse = session.map(|session| (session.id(), session.pulse()));
            self.sources.child = session.map(|session| session.events());
            self.app.dirty = true;
        }
        let beside = || self.app.sessions.in_sight().iter().copied().filter(|id| Some(*id) != focused);
        if !self.sources.beside.iter().map(|(id, _)| *id).eq(beside()) {
            self.sources.beside = beside().filter_map(session).map(|session| (session.id(), session.pulse())).collect();
            self.app.dirty = true;
        }
    }

    fn size_hidden(&mut self, now: Instant) {
        let ids: Vec<SessionId> = self.app.sessions.items().iter().map(|item| item.id).collect();
        for id in ids {
            let Some(session) = self.app.sessions.get(id).map(|item| item.session.clone()) else { continue };
            let size = self.app.sessions.size_of(id, self.app.places().panes);
            if self.app.fit(&session, size) {
                self.app.sessions.resized(id, now);
            }
        }
        self.app.watch_for_news();
    }

    fn draw(&mut self) -> Result<(), FaceError> {
        let around = self.app.around_screen();
        if self.around != around {
            self.around = around;
            (self.app.stale, self.app.dirty) = (true, true);
            self.settle()?;
        }
        // What programs in sight print changes their panes: all around these is on the canvas already.
        let notices = self.app.toasts.deadline().is_some() || trust_prompt::beside(&self.app).is_some();
        let floats = self.app.places().rail_floats;
        let covered = self.layers.len() > 1 || notices || floats || !self.app.looking.is_empty();
        self.app.covered = self.layers.len() > 1;
        self.app.pane_only = !self.app.dirty && !covered;
        // An echo does not wait for its neighbours either: they have their turn.
        self.app.beside_too = !self.app.pane_only || self.app.moved_beside && !self.pace.is_echo();
        // What is drawn now is not news any more.
        let beside = self.sources.beside.iter_mut().filter(|_| self.app.beside_too);
        for (_, pulse) in self.sources.pulse.iter_mut().chain(beside) {
            pulse.borrow_and_update();
        }
        if self.app.dirty {
            self.tell_host()?;
            opening::note_layout(&self.app);
        }
        (self.app.dirty, self.app.moved) = (false, false);
        self.app.moved_beside &= !self.app.beside_too;
        self.layers.render(&mut self.canvas, &self.app);
        let modes = self.app.session().map(|session| session.input_modes());
        // While a layer is open, keys and mouse belong to us.
        let own = self.layers.len() > 1;
        // Before the screen: whoever sees what a program shows can already use the mouse there.
        self.terminal.follow(modes.as_ref().filter(|_| !own))?;
        self.terminal.draw(&self.canvas)?;
        for item in self.app.sessions.in_sight().iter().filter_map(|id| self.app.sessions.get(*id)) {
            item.session.drawn();
        }
        remote_sessions::drawn(&self.app);
        Ok(())
    }

    /// Reports our own status to the host, if it supports that.
    fn tell_host(&mut self) -> Result<(), FaceError> {
        let wanted = self.app.settings.report_status && self.terminal.abilities().status_records;
        let (state, msg) = outward::summary(&self.app);
        let bytes = if wanted { self.outward.tell(state, &msg) } else { self.outward.take_back() };
        if let Some(bytes) = bytes {
            self.terminal.say(&bytes)?;
        }
        let title = outward::title(&self.app);
        if self.title != title {
            self.terminal.say(&set_title(&title))?;
            self.title = title;
        }
        Ok(())
    }

    /// Clears our status reports at the host.
    fn leave_host(&mut self) {
        // The title of before comes back with the host's modes.
        self.title.clear();
        if let Some(bytes) = self.outward.take_back() {
            // A host that is gone keeps no reports.
            let _ = self.terminal.say(&bytes);
        }
    }

    fn run_errands(&mut self) -> Result<(), FaceError> {
        for errand in self.app.take_errands() {
            match errand {
                HostOrder::Say(bytes) => self.terminal.say(&bytes)?,
                HostOrder::Redraw => self.terminal.forget(),
                HostOrder::Mouse(on) => self.terminal.set_mouse(on),
                HostOrder::Suspend => {
                    self.leave_host();
                    self.terminal.suspend();
                    self.stopped = Some(Instant::now() + STOP_PATIENCE);
                    let own = rustix::process::getpid();
                    // If the signal was refused or ignored, we continue by ourselves a little later.
                    let _ = rustix::process::kill_process(own, rustix::process::Signal::TSTP);
                }
            }
            self.app.dirty = true;
        }
        Ok(())
    }

    /// Continues after a stop, by us or by somebody else: other programs may have used the terminal meanwhile.
    fn go_on(&mut self) -> Result<(), FaceError> {
        self.stopped = None;
        // If somebody else stopped us, the terminal was not left: a mode set twice would only be reset once.
        self.terminal.suspend();
        self.terminal.resume()?;
        self.measure();
        self.app.dirty = true;
        Ok(())
    }
}

/// `PATTERM_PANIC_ON=f9`, to test how patterm ends, and `VTR_PANIC_ON` for attach; release builds ignore it.
fn shall_panic(app: &InterfaceState, key: &KeyEvent) -> bool {
    let variable = format!("{}_PANIC_ON", app.program().to_uppercase());
    let fatal = || app.surroundings.variable(&variable)?.to_str()?.parse::<KeyEvent>().ok();
    cfg!(debug_assertions) && fatal().is_some_and(|fatal| is_same_key(&fatal, key))
}
