//! Sessions of coordinators beside our own: listed, opened, closed, and what becomes of them.
//!
//! They run elsewhere: closing one here, or leaving patterm, ends nothing there.

mod beginning;
mod creating;
mod ending;
mod opening;
mod picker;
mod preview;
mod reports;
mod summary;
mod walking;

use std::{path::PathBuf, sync::Arc};

use engine::SessionId;
use fleet::{ClientConfig, ClientSurroundings, Coordinator, SessionRef, SessionRoster, coordinators};
use grpc::client::CoordinatorClient;
use program::Failure;
use tokio::sync::mpsc;
use tui::Sign;

use super::{
    commands::{CommandSection, ScreenCommand, always},
    model::InterfaceState,
    sources::{AttachManner, CHANGES_ARE_OFF, RemoteEvent, RemoteSession, SessionHandle, SourceSession, clean_name},
};

use self::{picker::SessionPicker, preview::SessionPreview};

pub(super) use self::beginning::begin;
pub(super) use opening::{close, namesake, show_namesake};
pub(super) use preview::drawn;
pub(super) use walking::{beside, keep, unseen};

/// What coordinators report that waits for its turn.
const WAITING_EVENTS: usize = 256;

#[derive(Debug)]
pub(crate) struct RemoteSessions {
    roster: SessionRoster<RemoteEvent>,
    events: mpsc::Sender<RemoteEvent>,
    /// Until somebody listens.
    heard: Option<mpsc::Receiver<RemoteEvent>>,
    /// Those that the person has opened.
    opened: Vec<OpenedSession>,
    /// Opened by walking from session to session, and closed again by walking on.
    walked_to: Option<SessionId>,
    preview: SessionPreview,
    /// Counts the changes of what a list of all sessions says.
    revision: u64,
    /// How sessions are attached to that are opened from now on.
    pub(super) manner: AttachManner,
    /// The only coordinator, if the command line names one.
    socket: Option<PathBuf>,
}

/// A session that the person has opened.
#[derive(Debug)]
struct OpenedSession {
    /// Its coordinator's index in the roster.
    place: usize,
    session: Arc<RemoteSession>,
}

impl OpenedSession {
    fn reference(&self) -> SessionRef {
        SessionRef { coordinator: self.place, id: self.session.there() }
    }
}

impl Default for RemoteSessions {
    fn default() -> Self {
        let (events, heard) = mpsc::channel(WAITING_EVENTS);
        let roster = SessionRoster::new(events.clone());
        RemoteSessions {
            roster,
            events,
            heard: Some(heard),
            opened: Vec::new(),
            walked_to: None,
            preview: SessionPreview::default(),
            revision: 0,
            manner: AttachManner::default(),
            socket: None,
        }
    }
}

impl RemoteSessions {
    pub(super) fn handles(&self) -> impl Iterator<Item = SessionHandle> {
        self.opened.iter().map(|opened| Arc::clone(&opened.session) as SessionHandle)
    }

    fn find(&self, id: SessionId) -> Option<&Arc<RemoteSession>> {
        self.opened.iter().map(|opened| &opened.session).find(|session| session.id() == id)
    }

    fn opened_as(&self, wanted: &SessionRef) -> Option<&OpenedSession> {
        let is = |opened: &&OpenedSession| opened.place == wanted.coordinator && opened.session.is_there(&wanted.id);
        self.opened.iter().find(is)
    }

    /// Whether no coordinator has ever answered, and all were tried.
    pub(super) fn nobody_answered(&self) -> bool {
        self.roster.nobody_answered()
    }

    /// The silent coordinators, and why they are silent.
    pub(super) fn silences(&self) -> Vec<(String, String)> {
        self.roster.silences()
    }

    /// Whether a session of a coordinator is being recorded there, as far as we know.
    pub(super) fn is_recorded(&self, id: SessionId) -> bool {
        self.find(id).is_some_and(|session| session.is_recorded())
    }
}

pub(super) const COMMANDS: &[ScreenCommand] = &[
    ScreenCommand {
        id: "open-remote",
        title: "Open remote session…",
        section: CommandSection::Start,
        keys: &[],
        when: always,
        run: choose,
    },
    ScreenCommand {
        id: "new-remote",
        title: "Start a session at a coordinator…",
        section: CommandSection::Start,
        keys: &[],
        when: always,
        run: creating::ask,
    },
    ScreenCommand {
        id: "end-remote",
        title: "End or remove this remote session…",
        section: CommandSection::Pane,
        keys: &[],
        when: |app| app.sessions.focused().is_some_and(|item| item.remote.is_some()),
        run: ending::ask,
    },
];

/// Lists the sessions of all coordinators that vtr's config names now; they come in as the coordinators answer.
fn choose(app: &mut InterfaceState) {
    if looked(app) {
        let picker = SessionPicker::new(app);
        app.open(picker);
    }
}

/// Whether a session may be changed from here; if not, a notice says so.
pub(super) fn may_change(app: &mut InterfaceState, id: SessionId) -> bool {
    let reads_only = app.remote.find(id).is_some_and(|session| session.is_read_only());
    if reads_only {
        app.toast(Sign::Blocked, CHANGES_ARE_OFF);
    }
    !reads_only
}

/// Whether the coordinators that there are now are known; if not, a notice says why.
fn looked(app: &mut InterfaceState) -> bool {
    let Err(failure) = look(app) else { return true };
    let hint = if failure.hint.is_empty() { String::new() } else { format!(": {}", failure.hint) };
    app.toast(Sign::Failed, format!("{}{hint}", failure.message));
    false
}

/// Finds the coordinators that there are now, and follows their lists from here on.
fn look(app: &mut InterfaceState) -> Result<(), Failure> {
    let surroundings = ClientSurroundings::of(&app.surroundings);
    let config = ClientConfig::load(&surroundings.client_config_file())?;
    let known = coordinators::known(app.remote.socket.as_deref(), &config, &surroundings)?;
    watch(app, &known, &[]);
    Ok(())
}

/// Follows the coordinators' lists from here on. `clients` are connections that exist.
fn watch(app: &mut InterfaceState, known: &[Coordinator], clients: &[(Coordinator, CoordinatorClient)]) {
    let tasks = app.tasks.clone();
    let _entered = tasks.enter();
    app.remote.roster.watch(known, clients);
    if let Some(heard) = app.remote.heard.take() {
        app.tasks.spawn(reports::report(heard, app.loop_tasks()));
    }
}

/// What a session of a coordinator is called in a list: with the coordinator, unless it is clear which one it is.
pub(super) fn address(app: &InterfaceState, coordinator: &str, name: &str) -> String {
    match app.project.is_none() && app.remote.roster.members().len() == 1 {
        true => clean_name(name),
        false => format!("{}:{}", clean_name(coordinator), clean_name(name)),
    }
}
