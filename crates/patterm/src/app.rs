//! The terminal program: one loop that takes what the host types and what sessions print, and draws.
//!
//! The loop has a thread of its own and never waits for a session: operations run as tasks beside it and report back.
//! Only what is in sight is drawn, at most 60 times a second, in one write. What can be done with sessions is decided
//! in `ops` and `project`; how cells get to the host is `tui`'s.
#![allow(dead_code, reason = "places for what is being built")]

mod attention;
mod child_wishes;
mod commands;
mod editor;
mod frame;
mod help;
mod history;
mod input;
mod keys;
mod look_back;
mod model;
mod ownership;
mod pace;
mod palette;
mod pass_through;
mod project_events;
mod quitting;
mod scratchpads;
mod sessions;
mod start;
mod terminal;
mod text_view;
mod toasts;
mod trust_prompt;

use std::{
    panic::{self, AssertUnwindSafe},
    thread,
    time::{Duration, Instant},
};

use engine::{EngineEvent, Kind, Pulse, SessionEvent, SessionId};
use ops::Context;
use project::{Project, ProjectEvent};
use tokio::{
    runtime::Handle,
    signal::unix::{Signal, SignalKind, signal},
    sync::{broadcast, mpsc, watch},
};
use tui::{
    Canvas, ColorScheme, Event, Layers, Rect, Sign, Skin,
    host::{Host, HostError, Restorer},
    is_same_key,
};
use vt::{Size, input::Focus as HostFocus};

use self::{
    model::{App, Errand, Notice},
    pace::Pace,
    terminal::Terminal,
};
use crate::{
    failure::{Exit, Failure},
    run::ending::Wishes,
    surroundings::Surroundings,
};

/// How often hidden sessions are looked at for news, and times on the screen move.
const TICK: Duration = Duration::from_secs(1);
/// Hidden sessions get a new size when it has stood this long.
const SETTLED: Duration = Duration::from_millis(200);
/// Whoever stopped us and nobody let go on: we go on ourselves.
const STOP_PATIENCE: Duration = Duration::from_millis(500);

/// The terminal we were started on.
pub(crate) fn find_terminal() -> Result<Host, Failure> {
    Terminal::find().map_err(|error| match error {
        HostError::NotATerminal(_) => Failure::new(Exit::NoTerminal, "no_terminal", "patterm needs a terminal")
            .with_hint("run it in one, or run `patterm --headless` for scripts and MCP clients"),
        error => Failure::new(Exit::Refused, "system", error.to_string()),
    })
}

/// What there is to say from the start.
#[derive(Debug, Default)]
pub(crate) struct Said {
    /// In the status line, all the time.
    pub(crate) notes: Vec<String>,
    /// Nobody has used it here before.
    pub(crate) first_run: bool,
}

/// Shows a project on `host` until the person leaves or `wishes` says so. `tasks` is where operations run.
pub(crate) fn run(
    project: Project,
    surroundings: &Surroundings,
    tasks: &Handle,
    host: Host,
    wishes: Wishes,
    said: Said,
) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::system("starting the interface", &error);
    let own = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    let hook = PanicHook::install(host.restorer());
    let looped = panic::catch_unwind(AssertUnwindSafe(|| {
        own.block_on(async {
            let mut face = Face::start(project, surroundings, tasks, host, wishes)?;
            face.app.notes = said.notes;
            face.app.first_run = said.first_run;
            face.run().await
        })
    }));
    drop(hook);
    match looped {
        Ok(Ok(()) | Err(FaceError::Gone)) => Ok(()),
        Ok(Err(FaceError::Host(error))) => Err(Failure::new(Exit::Refused, "system", error.to_string())),
        Ok(Err(FaceError::System(what, error))) => Err(Failure::system(what, &error)),
        Err(_) => Err(Failure::new(Exit::Refused, "internal", "the interface failed; all sessions were ended")
            .with_hint("this is a fault of patterm: please report it with the lines above")),
    }
}

/// Why the loop ended before anybody asked.
#[derive(Debug, thiserror::Error)]
enum FaceError {
    /// The terminal is not there any more: the same as leaving.
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

/// Puts the terminal back before a panic of the loop is printed; panics of other threads go to the log, as a line on
/// the screen would only spoil it. The hook before is back when this is dropped.
struct PanicHook;

impl PanicHook {
    fn install(restorer: Restorer) -> Self {
        let own = thread::current().id();
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if thread::current().id() == own {
                restorer.restore();
                before(info);
            } else {
                tracing::error!(%info, "a thread panicked");
            }
        }));
        PanicHook
    }
}

impl Drop for PanicHook {
    fn drop(&mut self) {
        if !thread::panicking() {
            drop(panic::take_hook());
        }
    }
}

/// Everything the loop listens to.
struct Ears {
    engine: broadcast::Receiver<EngineEvent>,
    project: broadcast::Receiver<ProjectEvent>,
    notices: mpsc::UnboundedReceiver<Notice>,
    wishes: Wishes,
    resized: Signal,
    continued: Signal,
    /// Of the session in sight.
    pulse: Option<(SessionId, watch::Receiver<Pulse>)>,
    child: Option<broadcast::Receiver<SessionEvent>>,
}

/// What woke the loop.
enum Wake {
    Input,
    Engine,
    Project(Option<ProjectEvent>),
    Notice(Notice),
    Output,
    Child(SessionEvent),
    Resized,
    Continued,
    End,
    Time,
}

struct Face {
    app: App,
    terminal: Terminal,
    layers: Layers<App>,
    canvas: Canvas,
    pace: Pace,
    ears: Ears,
    events: Vec<Event>,
    next_tick: Instant,
    /// When hidden sessions get the size that the one in sight has.
    settles: Option<Instant>,
    /// We stopped ourselves, and go on at the latest then.
    stopped: Option<Instant>,
}

impl Face {
    /// Needs a runtime of its own around it.
    fn start(
        project: Project,
        surroundings: &Surroundings,
        tasks: &Handle,
        host: Host,
        wishes: Wishes,
    ) -> Result<Self, FaceError> {
        let listen = |kind| signal(kind).map_err(|error| FaceError::System("listening to signals", error));
        let (sender, notices) = mpsc::unbounded_channel();
        let ears = Ears {
            engine: project.engine().events(),
            project: project.events(),
            notices,
            wishes,
            resized: listen(SignalKind::window_change())?,
            continued: listen(SignalKind::from_raw(rustix::process::Signal::CONT.as_raw()))?,
            pulse: None,
            child: None,
        };
        let mut events = Vec::new();
        let terminal = Terminal::enter(host, surroundings, &mut events)?;
        let (keymap, faults) = keys::keymap(project.settings());
        let mut app = App::new(project, surroundings.clone(), tasks.clone(), sender, keymap);
        faults.into_iter().for_each(|fault| app.toast(Sign::Failed, fault));
        let mut layers = Layers::default();
        layers.push(Box::new(input::Base));
        let now = Instant::now();
        let mut face = Face {
            app,
            canvas: Canvas::new(terminal.size()),
            terminal,
            layers,
            pace: Pace::new(now),
            ears,
            events,
            next_tick: now + TICK,
            settles: None,
            stopped: None,
        };
        face.learn();
        face.measure();
        Ok(face)
    }

    async fn run(mut self) -> Result<(), FaceError> {
        while !self.app.done {
            self.settle()?;
            let now = Instant::now();
            if self.app.dirty && self.stopped.is_none() && self.pace.next() <= now {
                self.draw()?;
                self.pace.drawn(Instant::now());
            }
            let wake = self.wait().await?;
            self.woken(wake)?;
            let events = std::mem::take(&mut self.events);
            for event in events {
                self.event(event);
            }
            self.run_errands()?;
        }
        Ok(())
    }

    async fn wait(&mut self) -> Result<Wake, FaceError> {
        let until = self.deadline();
        let dirty = self.app.dirty;
        let Ears { engine, project, notices, wishes, resized, continued, pulse, child } = &mut self.ears;
        let wake = tokio::select! {
            biased;
            _ = wishes.next() => Wake::End,
            readable = self.terminal.readable() => {
                readable.map_err(|error| FaceError::System("listening to the terminal", error))?;
                Wake::Input
            }
            _ = resized.recv() => Wake::Resized,
            _ = continued.recv() => Wake::Continued,
            Some(notice) = notices.recv() => Wake::Notice(notice),
            _ = engine.recv() => Wake::Engine,
            event = project.recv() => Wake::Project(event.ok()),
            // While a frame is due anyway, more output changes nothing.
            _ = moved(pulse), if !dirty => Wake::Output,
            event = said(child) => Wake::Child(event),
            () = tokio::time::sleep_until(until.into()) => Wake::Time,
        };
        Ok(wake)
    }

    /// When something is due though nothing happens.
    fn deadline(&self) -> Instant {
        let frame = (self.app.dirty && self.stopped.is_none()).then(|| self.pace.next());
        let all = [
            Some(self.next_tick),
            frame,
            self.terminal.deadline(),
            self.app.sequence.deadline(),
            self.app.toasts.deadline(),
            attention::deadline(&self.app),
            self.settles,
            self.stopped,
        ];
        all.into_iter().flatten().min().unwrap_or(self.next_tick)
    }

    fn woken(&mut self, wake: Wake) -> Result<(), FaceError> {
        match wake {
            Wake::Input => {
                if !self.terminal.read(&mut self.events)? {
                    return Err(FaceError::Gone);
                }
            }
            Wake::Engine => {
                // All of them at once: a hundred sessions that end are one look.
                while self.ears.engine.try_recv().is_ok() {}
                self.app.stale = true;
            }
            Wake::Project(Some(event)) => project_events::heard(&mut self.app, event),
            Wake::Project(None) => project_events::missed(&mut self.app),
            Wake::Notice(notice) => notice(&mut self.app),
            Wake::Output => self.app.dirty = true,
            Wake::Child(event) => child_wishes::heard(&mut self.app, event),
            Wake::Resized => self.measure(),
            Wake::Continued => self.go_on()?,
            Wake::End => self.app.done = true,
            Wake::Time => self.time()?,
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
        if attention::deadline(&self.app).is_some_and(|deadline| deadline <= now) {
            attention::tick(&mut self.app, now);
        }
        if self.settles.is_some_and(|settles| settles <= now) {
            self.settles = None;
            self.size_hidden(now);
        }
        if self.stopped.is_some_and(|stopped| stopped <= now) {
            self.go_on()?;
        }
        if self.next_tick <= now {
            self.next_tick = now + TICK;
            self.app.sessions.look_for_unseen(now);
            // Times on the screen moved; a canvas that did not change costs no bytes.
            self.app.dirty |= !self.app.sessions.is_empty();
        }
        Ok(())
    }

    fn event(&mut self, event: Event) {
        match &event {
            Event::Key(key) if self.app.surroundings.panic_on.as_ref().is_some_and(|fatal| is_same_key(fatal, key)) => {
                panic!("asked to panic");
            }
            Event::Key(_) | Event::Paste(_) | Event::Mouse(_) => self.app.last_input = Some(Instant::now()),
            Event::Focus(focus) => {
                self.app.host_focused = *focus == HostFocus::Gained;
                attention::came_back(&mut self.app);
            }
            Event::ColorScheme(scheme) => {
                self.app.dress(Some(*scheme));
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

    /// What the host answered about itself.
    fn learn(&mut self) {
        let known = self.terminal.abilities();
        self.app.host_version = known.version.clone();
        self.app.theme = known.theme();
        self.app.dress(Some(known.color_scheme()));
    }

    fn measure(&mut self) {
        let size = self.terminal.size();
        if self.app.area.size() != size {
            self.app.area = Rect::of(size);
            self.canvas.resize(size);
            self.app.dirty = true;
        }
    }

    /// The model agrees with the engine, the session in sight with its place.
    fn settle(&mut self) -> Result<(), FaceError> {
        if self.app.stale {
            self.app.refresh();
        }
        // Notices open layers too.
        self.open_layers();
        let size = self.app.places().pane.size();
        if !frame::too_small(self.app.area) && self.app.pane_size != size {
            self.app.pane_size = size;
            self.app.project.set_default_size(size);
            self.settles = Some(Instant::now() + SETTLED);
            self.app.dirty = true;
        }
        let Some(session) = self.app.session().cloned() else {
            self.ears.pulse = None;
            self.ears.child = None;
            return Ok(self.terminal.follow(None)?);
        };
        if !frame::too_small(self.app.area) {
            self.app.fit(&session);
        }
        if self.ears.pulse.as_ref().is_none_or(|(id, _)| *id != session.id()) {
            self.ears.pulse = Some((session.id(), session.pulse()));
            self.ears.child = Some(session.events());
            self.app.dirty = true;
        }
        Ok(())
    }

    fn size_hidden(&mut self, now: Instant) {
        let ids: Vec<SessionId> = self.app.sessions.items().iter().map(|item| item.id).collect();
        for id in ids {
            let Some(session) = self.app.sessions.get(id).map(|item| item.session.clone()) else { continue };
            if self.app.fit(&session) {
                self.app.sessions.resized(id, now);
            }
        }
    }

    fn draw(&mut self) -> Result<(), FaceError> {
        if let Some((_, pulse)) = &mut self.ears.pulse {
            // What is drawn now is not news any more.
            pulse.borrow_and_update();
        }
        self.app.dirty = false;
        self.layers.render(&mut self.canvas, &self.app);
        self.terminal.draw(&self.canvas)?;
        let modes = self.app.session().map(|session| session.with_screen(|screen| screen.input_modes()));
        // Above a layer keys and mouse are ours.
        let own = self.layers.len() > 1;
        Ok(self.terminal.follow(modes.as_ref().filter(|_| !own))?)
    }

    fn run_errands(&mut self) -> Result<(), FaceError> {
        for errand in self.app.take_errands() {
            match errand {
                Errand::Say(bytes) => self.terminal.say(&bytes)?,
                Errand::Redraw => self.terminal.forget(),
                Errand::Mouse(on) => self.terminal.set_mouse(on),
                Errand::Suspend => {
                    self.terminal.suspend();
                    self.stopped = Some(Instant::now() + STOP_PATIENCE);
                    let own = rustix::process::getpid();
                    // Refused or ignored, we go on by ourselves a little later.
                    let _ = rustix::process::kill_process(own, rustix::process::Signal::TSTP);
                }
            }
            self.app.dirty = true;
        }
        Ok(())
    }

    /// After a stop, ours or another's: the terminal may have been used by anybody.
    fn go_on(&mut self) -> Result<(), FaceError> {
        self.stopped = None;
        self.terminal.resume()?;
        self.measure();
        self.app.dirty = true;
        Ok(())
    }
}

/// The session in sight printed something; never, if there is none.
async fn moved(pulse: &mut Option<(SessionId, watch::Receiver<Pulse>)>) {
    match pulse {
        // A session that is gone is told of by the engine.
        Some((_, receiver)) => {
            if receiver.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
        None => std::future::pending().await,
    }
}

/// The session in sight asks or reports something.
async fn said(child: &mut Option<broadcast::Receiver<SessionEvent>>) -> SessionEvent {
    loop {
        match child {
            Some(receiver) => match receiver.recv().await {
                Ok(event) => return event,
                // What was missed is of no interest any more.
                Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => *child = None,
            },
            None => std::future::pending().await,
        }
    }
}

impl App {
    /// Takes the list of sessions from the engine again, and follows what new agents do.
    fn refresh(&mut self) {
        self.stale = false;
        self.dirty = true;
        // Whatever is started for a look runs with the other tasks, not in our loop.
        let tasks = self.tasks.clone();
        let _entered = tasks.enter();
        let crew = self.project.crew().clone();
        let found = self.sessions.refresh(|session| (session.kind() == Kind::Agent).then(|| crew.standing(session)));
        for id in found.new {
            let Some(item) = self.sessions.get(id) else { continue };
            item.session.set_theme(self.theme.clone());
            if let Some(standing) = item.standing.clone() {
                self.follow(id, standing);
            }
        }
        if found.moved {
            self.focus = model::Focus::Pane;
            self.pass_through = None;
            if let Some(id) = self.session().map(engine::Session::id) {
                attention::looked_at(self, id);
            }
        }
        let alive: Vec<SessionId> = self.sessions.items().iter().map(|item| item.id).collect();
        self.sizes.retain(|id, _| alive.contains(id));
        self.looking.retain(|id, _| alive.contains(id));
        editor::tidy(self);
    }

    /// Tells the loop of every change of what an agent is doing.
    fn follow(&self, id: SessionId, mut standing: watch::Receiver<project::Standing>) {
        let notices = self.notices();
        self.tasks.spawn(async move {
            let mut before = standing.borrow_and_update().state();
            while standing.changed().await.is_ok() {
                let old = std::mem::replace(&mut before, standing.borrow_and_update().state());
                let told = notices.send(Box::new(move |app: &mut App| app.agent_moved(id, old)));
                if told.is_err() {
                    return;
                }
            }
            // The session is gone; or it was seen before its preset was known, and is watched by that from now on.
            let _ = notices.send(Box::new(move |app: &mut App| {
                let crew = app.project.crew().clone();
                let tasks = app.tasks.clone();
                let _entered = tasks.enter();
                let Some(item) = app.sessions.get_mut(id).filter(|item| item.session.name().is_some()) else { return };
                let renewed = crew.standing(&item.session);
                item.standing = Some(renewed.clone());
                app.agent_moved(id, before);
                app.follow(id, renewed);
            }));
        });
    }

    fn agent_moved(&mut self, id: SessionId, before: agents::State) {
        self.sessions.state_moved(id, before);
        attention::state_moved(self, id, before);
        self.dirty = true;
    }

    /// Gives a session the pane's size, unless it has it from us; true if it was given.
    fn fit(&mut self, session: &engine::Session) -> bool {
        let size: Size = self.pane_size;
        if self.sizes.get(&session.id()) == Some(&size) || size.cols == 0 || size.rows == 0 {
            return false;
        }
        let fitted = session.resize(size).is_ok();
        // One that has ended keeps the size it had; one that is only being started is tried again when it runs.
        if fitted || session.status().has_ended() {
            self.sizes.insert(session.id(), size);
        }
        fitted
    }

    /// The looks, by the host's scheme unless the settings say otherwise.
    fn dress(&mut self, host: Option<ColorScheme>) {
        use project::settings::Theme;
        let scheme = match (self.project.settings().theme, host) {
            (Theme::Dark, _) => ColorScheme::Dark,
            (Theme::Light, _) => ColorScheme::Light,
            (Theme::Auto, Some(scheme)) => scheme,
            (Theme::Auto, None) => self.skin.scheme,
        };
        self.skin = Skin { scheme, ..self.skin };
        self.dirty = true;
    }
}
