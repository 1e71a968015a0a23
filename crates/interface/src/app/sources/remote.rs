//! A session of a coordinator: its attachment, and its screen as last told.
//!
//! The coordinator sends a frame after the one before was drawn, so a session out of sight costs nothing however much
//! its program prints. A lost connection is tried again; a session that no longer exists stays in sight with its last
//! screen, and nothing typed reaches another one of its name.

mod facts;
mod hearing;
mod news;
mod orders;
mod text;

use std::{
    ffi::OsString,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Instant,
};

use engine::{
    AgedReport, ExitStatus, Input, Kind, Owner, Pulse, SearchRequest, SearchResult, SessionEvent, SessionId, Status,
};
use fleet::{
    AttachLink, AttachTarget, Coordinator, LinkNumber, LinkReport, ScreenMirror, UnansweredInput, reach, wire_input,
};
use grpc::{
    client::CoordinatorClient,
    proto::{self, AttachInput, AttachResize, FrameAck, attach_input, attach_request::Message},
};
use ops::{ErrorKind, OpError};
use serde_json::Value;
use tokio::sync::{Notify, broadcast, mpsc, oneshot, watch};
use vt::{
    Frame, InputModes, MouseProtocol, Size, Theme,
    input::{Key, KeyEvent},
};

use self::{
    facts::{AskedFacts, RemoteFacts},
    orders::RemoteOrder,
    text::KeptText,
};
use super::{RemoteStanding, SessionText, SourceCall, SourceConnection, SourceSession};

pub(crate) use facts::{name as clean_name, text as clean_text};
pub(crate) use news::{RemoteEvent, RemoteNews};

/// Reports that wait for their turn: frames are asked for one by one, so the queue stays short.
const WAITING_REPORTS: usize = 64;
const WAITING_EVENTS: usize = 64;

pub(crate) struct RemoteSession {
    own: Weak<RemoteSession>,
    id: SessionId,
    coordinator: Coordinator,
    manner: AttachManner,
    state: Arc<Mutex<RemoteState>>,
    pulse: watch::Sender<Pulse>,
    events: broadcast::Sender<SessionEvent>,
    /// Wakes the task beside it, which looks anew at what is due.
    stirred: Arc<Notify>,
    reports: mpsc::Sender<LinkReport>,
}

struct RemoteState {
    /// Its id at the coordinator.
    there: String,
    /// Shared so that nothing is sent while this is locked.
    link: Arc<AttachLink>,
    /// The roster's connection to the coordinator, while there is one.
    client: Option<CoordinatorClient>,
    /// What the pane draws.
    frame: Arc<Frame>,
    /// What came with that frame: the title, and the program's input modes.
    about: proto::Frame,
    facts: RemoteFacts,
    asked: AskedFacts,
    /// When to ask for these: after a change of the screen, and not all the time.
    asking_due: Option<Instant>,
    connection: SourceConnection,
    size: Size,
    /// The version of a frame that is not drawn yet.
    undrawn: Option<u64>,
    /// The version that was drawn last.
    seen: u64,
    unanswered: UnansweredInput,
    text: Option<KeptText>,
}

/// How a session is attached to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct AttachManner {
    /// Nothing is typed, and nothing about the session is changed.
    pub(crate) read_only: bool,
    /// The session's size is left to others.
    pub(crate) no_resize: bool,
}

/// What a person who may not change anything is told.
pub(crate) const CHANGES_ARE_OFF: &str = "attached read-only: changes are off";

/// How to reach a session's coordinator: over the connection that there is, or over a new one.
#[derive(Clone, Debug)]
pub(crate) struct CoordinatorWay {
    pub(crate) coordinator: Coordinator,
    pub(crate) client: Option<CoordinatorClient>,
}

impl CoordinatorWay {
    pub(crate) async fn reach(self) -> Result<CoordinatorClient, String> {
        match self.client {
            Some(client) => Ok(client),
            None => match reach::reach(&self.coordinator).await {
                Ok(reached) => Ok(reached.client),
                Err(silence) => Err(facts::text(&silence.to_string())),
            },
        }
    }
}

impl std::fmt::Debug for RemoteSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RemoteSession").field("id", &self.id).finish_non_exhaustive()
    }
}

impl RemoteSession {
    /// Attaches to a session of a coordinator. What becomes of it is told as `events`. Must be called inside a runtime.
    pub(crate) fn open(
        id: SessionId,
        way: CoordinatorWay,
        session: &proto::Session,
        size: Size,
        manner: AttachManner,
        events: mpsc::Sender<RemoteEvent>,
    ) -> Arc<Self> {
        let CoordinatorWay { coordinator, client } = way;
        let (reports, heard) = mpsc::channel(WAITING_REPORTS);
        let target = target(&coordinator, session, size, manner);
        let mut mirror = ScreenMirror::default();
        mirror.apply(proto::Frame { cols: size.cols.into(), rows: size.rows.into(), ..proto::Frame::default() });
        let facts = RemoteFacts::of(session);
        let pulse = Pulse { version: 0, output_offset: 0, status: facts.status, removed: false };
        let state = RemoteState {
            there: session.id.clone(),
            link: Arc::new(AttachLink::open(LinkNumber(1), target, client.clone(), reports.clone())),
            client,
            frame: Arc::new(mirror.frame().expect("a frame was applied").clone()),
            about: proto::Frame::default(),
            facts,
            asked: AskedFacts::default(),
            asking_due: None,
            connection: SourceConnection::Connecting,
            size,
            undrawn: None,
            seen: 0,
            unanswered: UnansweredInput::default(),
            text: None,
        };
        let opened = Arc::new_cyclic(|own| RemoteSession {
            own: own.clone(),
            id,
            coordinator,
            manner,
            state: Arc::new(Mutex::new(state)),
            pulse: watch::Sender::new(pulse),
            events: broadcast::Sender::new(WAITING_EVENTS),
            stirred: Arc::default(),
            reports,
        });
        let stirred = Arc::clone(&opened.stirred);
        tokio::spawn(hearing::follow(Arc::downgrade(&opened), heard, mirror, stirred, events));
        opened
    }

    pub(crate) fn coordinator(&self) -> &Coordinator {
        &self.coordinator
    }

    /// Whether it is the session with this id at its coordinator.
    pub(crate) fn is_there(&self, id: &str) -> bool {
        self.state().there == id
    }

    /// `far:web`
    pub(crate) fn address(&self) -> String {
        format!("{}:{}", facts::name(&self.coordinator.name), self.state().facts.name)
    }

    pub(crate) fn is_gone(&self) -> bool {
        matches!(self.state().connection, SourceConnection::Gone(_))
    }

    pub(crate) fn is_recorded(&self) -> bool {
        self.state().asked.recording
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.manner.read_only
    }

    /// The version of its screen that was in sight last.
    pub(crate) fn seen_version(&self) -> u64 {
        self.state().seen
    }

    /// Its id at the coordinator.
    pub(crate) fn there(&self) -> String {
        self.state().there.clone()
    }

    fn link(&self) -> Arc<AttachLink> {
        Arc::clone(&self.state().link)
    }

    fn way(&self) -> CoordinatorWay {
        CoordinatorWay { coordinator: self.coordinator.clone(), client: self.state().client.clone() }
    }

    fn state(&self) -> MutexGuard<'_, RemoteState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection to the coordinator that there is now, if there is one.
    pub(crate) fn reached(&self, client: Option<CoordinatorClient>) {
        self.state().client = client;
    }

    /// The coordinator's list has the session so. One that was started again is attached to again. Must be called
    /// inside a runtime.
    pub(crate) fn listed(&self, session: &proto::Session) -> RemoteNews {
        let mut state = self.state();
        let had_ended = state.facts.status.has_ended();
        state.facts = RemoteFacts::of(session);
        let again = had_ended && !state.facts.status.has_ended();
        drop(state);
        if again {
            return self.attach_to(session);
        }
        self.beat(false);
        RemoteNews::Changed
    }

    /// Shows this session of the coordinator from here on: the same one, started again, or one that has the name now.
    /// Must be called inside a runtime.
    pub(crate) fn attach_to(&self, session: &proto::Session) -> RemoteNews {
        let state = self.state();
        let (number, size) = (LinkNumber(state.link.number.0 + 1), state.size);
        drop(state);
        let target = target(&self.coordinator, session, size, self.manner);
        let client = self.state().client.clone();
        let link = Arc::new(AttachLink::open(number, target, client, self.reports.clone()));
        let mut state = self.state();
        let before = std::mem::replace(&mut state.link, link);
        state.there.clone_from(&session.id);
        state.facts = RemoteFacts::of(session);
        state.connection = SourceConnection::Connecting;
        (state.undrawn, state.seen, state.text) = (None, 0, None);
        state.unanswered = UnansweredInput::default();
        drop(state);
        drop(before);
        self.stirred.notify_one();
        self.beat(false);
        RemoteNews::Changed
    }

    /// The coordinator says that it removed the session. Nothing, if we knew that it is gone.
    pub(crate) fn removed(&self) -> Option<RemoteNews> {
        self.gone("it was removed")
    }

    /// The coordinator's new list does not have it. What becomes of one that runs, its link finds out.
    pub(crate) fn not_listed(&self) -> Option<RemoteNews> {
        let ended = self.state().facts.status.has_ended();
        ended.then(|| self.gone("its coordinator no longer has it")).flatten()
    }

    fn gone(&self, why: &str) -> Option<RemoteNews> {
        let why = facts::text(why);
        let mut state = self.state();
        if matches!(state.connection, SourceConnection::Gone(_)) {
            return None;
        }
        state.connection = SourceConnection::Gone(why.clone());
        drop(state);
        self.beat(false);
        Some(RemoteNews::Gone(why))
    }

    /// Wakes whoever waits for changes.
    fn beat(&self, printed: bool) {
        let status = SourceSession::status(self);
        self.pulse.send_modify(|pulse| {
            pulse.version += 1;
            pulse.output_offset += u64::from(printed);
            pulse.status = status;
        });
    }

    /// Why nothing can be typed now, if so.
    fn refusal(&self, state: &RemoteState) -> Option<String> {
        let why = match &state.connection {
            SourceConnection::Gone(_) => "the session is gone: this was not sent",
            _ if state.facts.status.has_ended() => "the program has ended: this was not sent",
            _ if self.manner.read_only => "attached read-only: typing is off",
            SourceConnection::Connecting | SourceConnection::Live | SourceConnection::Silent => return None,
            SourceConnection::Lost(_) => "not connected: this was not sent",
        };
        Some(why.to_owned())
    }

    /// A client of the coordinator.
    async fn client(&self) -> Result<CoordinatorClient, String> {
        self.way().reach().await
    }
}

fn target(coordinator: &Coordinator, session: &proto::Session, size: Size, manner: AttachManner) -> AttachTarget {
    AttachTarget {
        coordinator: coordinator.clone(),
        id: session.id.clone(),
        name: session.name.clone(),
        size,
        read_only: manner.read_only,
        no_resize: manner.no_resize,
    }
}

impl SourceSession for RemoteSession {
    fn id(&self) -> SessionId {
        self.id
    }

    fn name(&self) -> Option<String> {
        Some(self.state().facts.name.clone())
    }

    fn kind(&self) -> Kind {
        // Its coordinator has no presets of ours: an agent there is judged by what it reports, like any program.
        match self.state().facts.kind {
            Kind::Agent => Kind::Command,
            kind => kind,
        }
    }

    fn parent(&self) -> Option<SessionId> {
        None
    }

    fn argv(&self) -> Vec<OsString> {
        self.state().facts.argv.clone()
    }

    fn folder(&self) -> Option<PathBuf> {
        let state = self.state();
        state.asked.folder.clone().or_else(|| state.facts.folder.clone())
    }

    fn foreground(&self) -> Option<String> {
        self.state().asked.foreground.clone()
    }

    fn status(&self) -> Status {
        let state = self.state();
        match state.connection {
            SourceConnection::Gone(_) => Status::Stopped,
            _ => state.facts.status,
        }
    }

    fn exit(&self) -> Option<ExitStatus> {
        self.state().facts.exit
    }

    fn waits_for_start(&self) -> bool {
        false
    }

    fn owner(&self) -> Owner {
        self.state().facts.owner
    }

    fn reports(&self) -> Vec<AgedReport> {
        self.state().facts.reports.clone()
    }

    fn remote(&self) -> Option<RemoteStanding> {
        let connection = self.state().connection.clone();
        Some(RemoteStanding { coordinator: facts::name(&self.coordinator.name), connection })
    }

    fn frame(&self) -> Arc<Frame> {
        Arc::clone(&self.state().frame)
    }

    fn screen_text(&self) -> String {
        self.frame().text()
    }

    fn title(&self) -> String {
        facts::text(&self.state().about.title)
    }

    fn input_modes(&self) -> InputModes {
        let state = self.state();
        let about = &state.about;
        let mouse = match (about.wants_mouse, about.wants_mouse_moves) {
            (_, true) => MouseProtocol::AnyMotion,
            (true, false) => MouseProtocol::ButtonMotion,
            (false, false) => MouseProtocol::Off,
        };
        InputModes {
            mouse,
            bracketed_paste: about.bracketed_paste,
            focus_events: about.wants_focus,
            alternate_screen: about.alternate_screen,
            ..InputModes::default()
        }
    }

    fn pulse(&self) -> watch::Receiver<Pulse> {
        self.pulse.subscribe()
    }

    fn events(&self) -> broadcast::Receiver<SessionEvent> {
        self.events.subscribe()
    }

    fn drawn(&self) {
        let mut state = self.state();
        let Some(version) = state.undrawn.take() else { return };
        state.seen = version;
        state.unanswered.acknowledged(Instant::now());
        drop(state);
        self.link().send(Message::Ack(FrameAck { version }));
    }

    fn send(&self, input: Input) -> Result<(), String> {
        let state = self.state();
        if let Some(why) = self.refusal(&state) {
            return Err(why);
        }
        let (link, wants_focus) = (Arc::clone(&state.link), state.about.wants_focus);
        drop(state);
        for input in wire(input, wants_focus) {
            if !link.send(Message::Input(input)) {
                return Err("the connection is blocked: this was not sent".to_owned());
            }
            self.state().unanswered.sent(Instant::now());
        }
        self.stirred.notify_one();
        Ok(())
    }

    fn release(&self) {}

    fn resize(&self, size: Size) -> bool {
        self.state().size = size;
        if self.manner.no_resize {
            return true;
        }
        // Without a connection, the link begins with this size when it has one again.
        self.link().send(Message::Resize(AttachResize { cols: size.cols.into(), rows: size.rows.into() }));
        true
    }

    fn set_theme(&self, _: &Theme) {}

    fn text(&self) -> Option<SessionText> {
        None
    }

    fn fetch_text(&self) -> Result<SessionText, String> {
        // The task ends with the runtime, and this then ends without a text.
        let (fetched, text) = oneshot::channel();
        let own = self.own.upgrade().ok_or("it is closed")?;
        tokio::spawn(async move { fetched.send(own.current_text().await) });
        text.blocking_recv().unwrap_or_else(|_| Err("the program ends".to_owned()))
    }

    fn history_text(&self) -> Result<String, String> {
        Ok(text::plain(&self.fetch_text()?))
    }

    fn search(&self, request: &SearchRequest) -> SearchResult {
        self.fetch_text().map(|text| text::search(&text, request)).unwrap_or_default()
    }

    fn call(&self, operation: &str, arguments: &Value) -> Option<SourceCall> {
        let order = match self.manner.read_only {
            true => Err(OpError::new(ErrorKind::RoleForbidden, CHANGES_ARE_OFF)),
            false => RemoteOrder::of(operation, arguments, &self.address()),
        };
        let (way, there, shown, state) = (self.way(), self.there(), self.address(), Arc::clone(&self.state));
        Some(Box::pin(async move {
            let order = order?;
            let recording = order.recording();
            let reply = order.run(way, there, shown).await?;
            if let Some(recording) = recording {
                state.lock().unwrap_or_else(PoisonError::into_inner).asked.recording = recording;
            }
            Ok(reply)
        }))
    }
}

/// The input as the coordinator takes it; nothing for what its program does not hear.
fn wire(input: Input, wants_focus: bool) -> Vec<AttachInput> {
    let one = |input| vec![AttachInput { input: Some(input) }];
    match input {
        Input::Key(key) => wire_input::key(&key).into_iter().collect(),
        Input::Text(text) if text.is_empty() => Vec::new(),
        Input::Text(text) => one(attach_input::Input::Text(text)),
        Input::Paste(text) => vec![wire_input::paste(&text)],
        Input::Bytes(bytes) => one(attach_input::Input::Data(bytes)),
        Input::Mouse(mouse) => vec![wire_input::mouse(&mouse)],
        Input::Wheel(lines) => {
            let key = if lines < 0 { Key::Up } else { Key::Down };
            let press = wire_input::key(&KeyEvent::press(key));
            press.into_iter().cycle().take(lines.unsigned_abs() as usize).collect()
        }
        Input::Focus(focus) if wants_focus => vec![wire_input::focus(focus)],
        Input::Focus(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    fn opened(manner: AttachManner) -> (Arc<RemoteSession>, mpsc::Receiver<RemoteEvent>) {
        let (events, heard) = mpsc::channel(4);
        let coordinator = Coordinator::at("/nowhere/far.sock".into(), Duration::from_secs(1));
        let session = proto::Session { id: "p_000001".into(), name: "web".into(), ..proto::Session::default() };
        let (id, way) = ("p_a1b2c3".parse().unwrap(), CoordinatorWay { coordinator, client: None });
        (RemoteSession::open(id, way, &session, Size::new(80, 24), manner, events), heard)
    }

    #[tokio::test]
    async fn who_only_reads_types_nothing_and_changes_nothing() {
        let (session, _heard) = opened(AttachManner { read_only: true, no_resize: true });
        assert_eq!(session.send(Input::Text("x".into())).unwrap_err(), "attached read-only: typing is off");
        let refused = session.call("rename_process", &json!({ "name": "x" })).unwrap().await.unwrap_err();
        assert_eq!((refused.kind, refused.message.as_str()), (ErrorKind::RoleForbidden, CHANGES_ARE_OFF));
    }

    #[tokio::test]
    async fn its_task_ends_with_the_session() {
        let (session, mut heard) = opened(AttachManner::default());
        assert_eq!(session.address(), "far:web");
        let lost = heard.recv().await.unwrap();
        assert!(matches!(lost, RemoteEvent::Session(_, RemoteNews::Lost { typed_for: None, .. })), "{lost:?}");
        assert_eq!(session.send(Input::Text("x".into())).unwrap_err(), "not connected: this was not sent");
        drop(session);
        assert!(heard.recv().await.is_none(), "nobody reports any more");
    }
}
