//! The interface's list of sessions: tabs, each with its tree, each session's state, and which one is in sight.
//!
//! A copy of the engine's data, refreshed when the engine reports a change. Nothing here looks at a screen.

use std::{
    cmp::Reverse,
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use crate::{layout::PaneTree, tabs::TabOrder};
use agents::State;
use engine::{AgedReport, Engine, ExitStatus, Kind, Owner, SessionId, Status};
use project::AgentStanding;
use tokio::sync::watch;
use tui::Sign;
use vt::{ProgramState, StatusRecord};

use super::{
    news::NewsWatch,
    sources::{RemoteStanding, SessionHandle, SourceConnection},
};

mod in_sight;

/// Output of a hidden session within this time after a resize does not count as news.
const AFTER_RESIZE: Duration = Duration::from_secs(1);

/// One session, as of the last refresh.
#[derive(Debug)]
pub(crate) struct SessionItem {
    pub(crate) session: SessionHandle,
    pub(crate) id: SessionId,
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// Its program's own name, without folders.
    pub(crate) program: String,
    /// Where it was started.
    pub(crate) folder: Option<PathBuf>,
    pub(crate) parent: Option<SessionId>,
    /// For a session of a coordinator: which one, and how it is connected.
    pub(crate) remote: Option<RemoteStanding>,
    /// The root of its tab.
    pub(crate) tab: SessionId,
    /// 0 for the root.
    pub(crate) depth: usize,
    pub(crate) status: Status,
    pub(crate) owner: Owner,
    pub(crate) exit: Option<ExitStatus>,
    /// What its program reports of its own work, the whole before its parts.
    pub(crate) reports: Vec<AgedReport>,
    /// An agent's state; other sessions are judged by their reports and their status.
    pub(crate) standing: Option<watch::Receiver<AgentStanding>>,
    /// Since when it is in its current state.
    pub(crate) since: Instant,
    /// It printed, ended or came to rest while it was out of sight.
    pub(crate) unseen: bool,
    /// An agent asked for the human here; `attention` handles it.
    pub(crate) attention: bool,
    /// The offset up to which its output was in sight.
    pub(super) seen_offset: u64,
    /// Output before this time is not news.
    pub(super) settles: Instant,
    /// The task that waits for its first output out of sight.
    pub(super) watched: Option<NewsWatch>,
    /// The task that waits for its first bell or notice out of sight.
    pub(super) bells: Option<NewsWatch>,
    /// It rang the bell since it was last in sight.
    pub(super) rang: bool,
}

fn program_name(session: &SessionHandle) -> String {
    let argv = session.argv();
    let program = argv.first().and_then(|program| Path::new(program).file_name());
    program.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

impl SessionItem {
    fn new(session: SessionHandle, standing: Option<watch::Receiver<AgentStanding>>, now: Instant) -> Self {
        let id = session.id();
        SessionItem {
            program: program_name(&session),
            folder: session.folder(),
            id,
            name: String::new(),
            kind: session.kind(),
            parent: session.parent(),
            remote: session.remote(),
            tab: id,
            depth: 0,
            status: Status::Starting,
            owner: session.owner(),
            exit: None,
            reports: Vec::new(),
            standing,
            since: now,
            unseen: false,
            attention: false,
            seen_offset: 0,
            settles: now + AFTER_RESIZE,
            watched: None,
            bells: None,
            rang: false,
            session,
        }
    }

    /// An agent's state, taking queued prompts into account.
    pub(crate) fn state(&self) -> Option<State> {
        self.standing.as_ref().map(|standing| standing.borrow().shown_state())
    }

    /// The most urgent of its program's reports.
    pub(crate) fn leading_report(&self) -> Option<&StatusRecord> {
        let leading = self.reports.iter().max_by_key(|report| (report.record.rank(), Reverse(report.age)))?;
        Some(&leading.record)
    }

    /// Whether its program reports that it waits for the person. Agents are judged by more than that.
    pub(super) fn says_blocked(&self) -> bool {
        let blocked = self.leading_report().is_some_and(|record| record.state == ProgramState::Blocked);
        self.standing.is_none() && blocked
    }

    /// Messages for an agent that are held back until a person's draft in its prompt box is sent or cleared.
    pub(crate) fn held_back(&self) -> usize {
        self.standing.as_ref().map_or(0, |standing| standing.borrow().held_back())
    }

    /// The CLI's own permission mode.
    pub(crate) fn mode(&self) -> Option<String> {
        self.standing.as_ref().filter(|_| !self.has_ended())?.borrow().status.mode.clone()
    }

    /// Prompts for an agent that can't be typed yet, and why.
    pub(crate) fn waiting_prompts(&self) -> Option<(usize, String)> {
        let standing = self.standing.as_ref().filter(|_| !self.has_ended())?.borrow();
        let (count, reason) = standing.waiting_prompts()?;
        Some((count, reason.to_string()))
    }

    /// Somebody looks at it now.
    fn seen(&mut self) {
        self.unseen = false;
        (self.watched, self.bells, self.rang) = (None, None, false);
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.status.has_ended()
    }

    /// How a session of a coordinator is connected.
    pub(crate) fn connection(&self) -> Option<&SourceConnection> {
        self.remote.as_ref().map(|remote| &remote.connection)
    }

    /// Its first start is left for the person.
    pub(crate) fn waits(&self) -> bool {
        self.session.waits_for_start()
    }

    fn failed(&self) -> bool {
        let bad = match self.exit {
            Some(ExitStatus::Code(code)) => code != 0,
            Some(ExitStatus::Signal(_)) => true,
            None => false,
        };
        self.status == Status::Errored || self.status == Status::Exited && bad
    }

    /// The sign of its state, whether somebody has seen it or not.
    pub(crate) fn own_sign(&self) -> Sign {
        match self.connection() {
            Some(SourceConnection::Connecting) => return Sign::Starting,
            Some(SourceConnection::Silent) => return Sign::Unknown,
            Some(SourceConnection::Lost(_) | SourceConnection::Gone(_)) => return Sign::Failed,
            Some(SourceConnection::Live) | None => {}
        }
        match self.status {
            Status::Starting => Sign::Starting,
            Status::Running => match self.state() {
                None => self.leading_report().map_or(Sign::Running, |record| sign_of(record.state)),
                Some(State::Starting) => Sign::Starting,
                Some(State::Idle) => Sign::Idle,
                Some(State::Working) => Sign::Working,
                Some(State::Blocked) => Sign::Blocked,
                Some(State::Exited) => Sign::Exited,
                Some(State::Unknown) => Sign::Unknown,
            },
            _ if self.failed() => Sign::Failed,
            _ => Sign::Exited,
        }
    }

    pub(crate) fn sign(&self) -> Sign {
        match self.own_sign() {
            Sign::Running | Sign::Idle | Sign::Exited | Sign::Unknown if self.unseen => Sign::Unseen,
            sign => sign,
        }
    }

    /// A session of a coordinator that has ended, or that can't be reached.
    pub(crate) fn has_trouble(&self) -> bool {
        match self.connection() {
            Some(SourceConnection::Silent | SourceConnection::Lost(_) | SourceConnection::Gone(_)) => true,
            Some(SourceConnection::Connecting | SourceConnection::Live) => self.has_ended(),
            None => false,
        }
    }

    /// Its state in one or two words, for the status line and the tree.
    pub(crate) fn word(&self) -> String {
        match self.connection() {
            Some(SourceConnection::Connecting) => return "connecting".to_owned(),
            Some(SourceConnection::Silent) => return "DOES NOT ANSWER".to_owned(),
            Some(SourceConnection::Lost(_)) => return "LOST".to_owned(),
            Some(SourceConnection::Gone(_)) => return "GONE".to_owned(),
            Some(SourceConnection::Live) | None => {}
        }
        match (self.status, self.exit) {
            (status, _) if status.has_ended() && self.waits() => "waits".to_owned(),
            (Status::Running, _) => match self.state() {
                Some(state) => state.to_string(),
                None => self.leading_report().map_or_else(|| "running".to_owned(), report_word),
            },
            // Nobody has to wonder whether what is on the screen is still going on.
            (Status::Exited | Status::Stopped, Some(exit)) if self.remote.is_some() => ended_elsewhere(exit),
            (Status::Exited, Some(ExitStatus::Code(0))) => "done".to_owned(),
            (Status::Exited | Status::Stopped, Some(ExitStatus::Code(code))) => format!("exit {code}"),
            (Status::Exited | Status::Stopped, Some(exit @ ExitStatus::Signal(_))) => {
                ops::signal_name(Some(exit)).unwrap_or_default()
            }
            (status, _) => status.to_string(),
        }
    }

    /// Since when it has been in this state.
    pub(crate) fn since(&self) -> Instant {
        match (&self.standing, self.has_ended()) {
            (Some(standing), false) => standing.borrow().status.since,
            _ => self.since,
        }
    }
}

/// `EXITED 3`, `EXITED SIGTERM`.
fn ended_elsewhere(exit: ExitStatus) -> String {
    match exit {
        ExitStatus::Code(code) => format!("EXITED {code}"),
        ExitStatus::Signal(_) => format!("EXITED {}", ops::signal_name(Some(exit)).unwrap_or_default()),
    }
}

pub(crate) fn sign_of(state: ProgramState) -> Sign {
    match state {
        ProgramState::Idle => Sign::Idle,
        ProgramState::Working => Sign::Working,
        ProgramState::Blocked => Sign::Blocked,
        ProgramState::Done => Sign::Exited,
        ProgramState::Error => Sign::Failed,
    }
}

/// `working 40%`.
pub(crate) fn report_word(record: &StatusRecord) -> String {
    match record.progress {
        Some(percent) => format!("{} {percent}%", record.state.as_str()),
        None => record.state.as_str().to_owned(),
    }
}

/// All sessions, in the order of the tabs and of each tab's trees: children are below their parent.
#[derive(Debug)]
pub(crate) struct SessionItems {
    /// The program's own, if it has one.
    engine: Option<Engine>,
    items: Vec<SessionItem>,
    order: TabOrder<SessionId>,
    /// The tab in sight; none in the empty state.
    tab: Option<SessionId>,
    /// The panes of every tab that was in sight once.
    panes: HashMap<SessionId, PaneTree<SessionId>>,
    /// Every session that can be seen now, whether it has the keyboard or not.
    in_sight: Vec<SessionId>,
    /// The session that had the keyboard before, to go back to.
    previous: Option<SessionId>,
}

/// The changes found by a refresh.
#[derive(Debug, Default)]
pub(crate) struct RefreshOutcome {
    /// New sessions; agents' states among them have to be followed.
    pub(crate) new: Vec<SessionId>,
    /// Programs whose reports began or stopped saying that they wait for the person.
    pub(crate) asks: Vec<(SessionId, bool)>,
    /// Programs that ended, and how long they had run.
    pub(crate) ended: Vec<(SessionId, Duration)>,
    /// Another session has come in sight.
    pub(crate) moved: bool,
}

impl SessionItems {
    pub(crate) fn new(engine: Option<Engine>) -> Self {
        SessionItems {
            engine,
            items: Vec::new(),
            order: TabOrder::default(),
            tab: None,
            panes: HashMap::new(),
            in_sight: Vec::new(),
            previous: None,
        }
    }

    /// Reads everything again, from the engine and from the sessions `elsewhere`. `standing` gives an agent's state.
    pub(crate) fn refresh(
        &mut self,
        elsewhere: impl Iterator<Item = SessionHandle>,
        standing: impl Fn(&SessionHandle) -> Option<watch::Receiver<AgentStanding>>,
    ) -> RefreshOutcome {
        let now = Instant::now();
        let mut found = RefreshOutcome::default();
        let before = self.focused().map(|item| (item.id, item.parent));
        let mut old: HashMap<SessionId, SessionItem> = self.items.drain(..).map(|item| (item.id, item)).collect();
        let mut children: HashMap<Option<SessionId>, Vec<SessionItem>> = HashMap::new();
        let own = self.engine.iter().flat_map(Engine::list).map(|session| Arc::new(session) as SessionHandle);
        let listed: Vec<SessionHandle> = own.chain(elsewhere).collect();
        let known: Vec<SessionId> = listed.iter().map(|session| session.id()).collect();
        for session in listed {
            let Some(name) = session.name() else { continue };
            let mut item = old.remove(&session.id()).unwrap_or_else(|| {
                found.new.push(session.id());
                SessionItem::new(session.clone(), standing(&session), now)
            });
            item.remote = session.remote();
            item.name = match &item.remote {
                Some(remote) => format!("{}:{name}", remote.coordinator),
                None => name,
            };
            if item.remote.is_some() {
                item.folder = session.folder();
                item.program = session.foreground().unwrap_or_else(|| program_name(&session));
            }
            item.owner = session.owner();
            let asked = item.says_blocked();
            item.reports = session.reports();
            item.reports.sort_by(|one, other| one.record.id.cmp(&other.record.id));
            if item.says_blocked() != asked {
                found.asks.push((item.id, !asked));
            }
            let status = session.status();
            if status != item.status {
                let ran_for = now.saturating_duration_since(item.since);
                if item.status == Status::Running && status.has_ended() {
                    found.ended.push((item.id, ran_for));
                }
                item.status = status;
                item.since = now;
                item.exit = status.has_ended().then(|| session.exit()).flatten();
                // An end that nobody saw is news; a start is not.
                item.unseen |= status.has_ended() && !item.waits() && !self.is_in_sight(item.id);
            }
            // A child whose parent is gone is shown at the root until it ends too.
            let parent = item.parent.filter(|parent| known.contains(parent));
            children.entry(parent).or_default().push(item);
        }
        let mut roots: Vec<SessionItem> = children.remove(&None).unwrap_or_default();
        self.follow_tabs(&roots.iter().map(|root| root.id).collect::<Vec<_>>());
        let places: HashMap<SessionId, usize> =
            self.order.roots().iter().enumerate().map(|(place, one)| (one.root, place)).collect();
        roots.sort_by_key(|root| places.get(&root.id).copied());
        let mut stack: Vec<(SessionItem, usize, SessionId)> = roots
            .into_iter()
            .rev()
            .map(|root| (self.order.tab_of(root.id).unwrap_or(root.id), root))
            .map(|(tab, root)| (root, 0, tab))
            .collect();
        while let Some((mut item, depth, tab)) = stack.pop() {
            item.depth = depth;
            item.tab = tab;
            let below = children.remove(&Some(item.id)).unwrap_or_default();
            stack.extend(below.into_iter().rev().map(|child| (child, depth + 1, tab)));
            self.items.push(item);
        }
        found.moved = self.keep_in_sight(before);
        found
    }

    pub(crate) fn items(&self) -> &[SessionItem] {
        &self.items
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub(crate) fn get(&self, id: SessionId) -> Option<&SessionItem> {
        self.items.iter().find(|item| item.id == id)
    }

    pub(crate) fn get_mut(&mut self, id: SessionId) -> Option<&mut SessionItem> {
        self.items.iter_mut().find(|item| item.id == id)
    }

    /// The first root of each tab, in the order of the tabs.
    pub(crate) fn tabs(&self) -> impl Iterator<Item = &SessionItem> {
        self.items.iter().filter(|item| item.tab == item.id)
    }

    /// The trees of a tab, its first root first.
    pub(crate) fn tree(&self, tab: SessionId) -> impl Iterator<Item = &SessionItem> {
        self.items.iter().filter(move |item| item.tab == tab)
    }

    /// All descendants of a session, in the order of the tree.
    pub(crate) fn below(&self, id: SessionId) -> impl Iterator<Item = &SessionItem> {
        let at = self.items.iter().position(|item| item.id == id).unwrap_or(self.items.len());
        let depth = self.items.get(at).map_or(0, |item| item.depth);
        self.items.iter().skip(at + 1).take_while(move |item| item.depth > depth)
    }

    /// A session has printed more than `beyond`, perhaps out of sight.
    pub(super) fn printed(&mut self, id: SessionId, beyond: u64) {
        let hidden = !self.is_in_sight(id);
        if let Some(item) = self.get_mut(id) {
            item.watched = None;
            // It may have been in sight meanwhile.
            item.seen_offset = item.seen_offset.max(beyond);
            item.unseen |= hidden && item.session.pulse().borrow().output_offset > item.seen_offset;
        }
    }

    /// An agent's state changed.
    pub(crate) fn state_moved(&mut self, id: SessionId, before: State) {
        let hidden = !self.is_in_sight(id);
        if let Some(item) = self.get_mut(id) {
            let rests = matches!(item.state(), Some(State::Idle | State::Blocked));
            item.unseen |= hidden && rests && matches!(before, State::Working | State::Starting);
        }
    }

    /// Every session except the one in sight gets the new size; the output this causes is not news.
    pub(crate) fn resized(&mut self, id: SessionId, now: Instant) {
        if let Some(item) = self.get_mut(id) {
            item.settles = now + AFTER_RESIZE;
            item.watched = None;
        }
    }

    /// The most important sign in a tab; its root's own sign if all are equal.
    pub(crate) fn tab_sign(&self, tab: SessionId) -> Sign {
        let root = self.get(tab).map_or(Sign::Unknown, SessionItem::sign);
        self.tree(tab)
            .map(SessionItem::sign)
            .chain([root])
            .min_by_key(|sign| (sign.urgency(), *sign != root))
            .unwrap_or(root)
    }
}
