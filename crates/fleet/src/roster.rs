//! The sessions of all coordinators, kept current.

use std::{collections::HashMap, time::Duration};

use grpc::{
    client::CoordinatorClient,
    proto::{Session, SessionStatus, WatchSessionsEvent, WatchSessionsRequest, watch_sessions_event::Event},
};

use tokio::sync::mpsc;

use crate::{abort_on_drop::AbortOnDrop, coordinators::Coordinator, reach, refusal};

/// The pause between attempts to reach a silent coordinator.
const PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// A session on one of the coordinators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRef {
    /// The coordinator's index in the roster.
    pub coordinator: usize,
    pub id: String,
}

/// What the coordinator at this index of the roster reports.
#[derive(Debug)]
pub struct RosterReport {
    pub place: usize,
    pub event: RosterEvent,
}

#[derive(Debug)]
pub enum RosterEvent {
    /// It answers.
    Here(Box<CoordinatorClient>),
    Change(Box<WatchSessionsEvent>),
    Silent(String),
}

#[derive(Debug)]
pub struct RosterMember {
    pub coordinator: Coordinator,
    pub client: Option<CoordinatorClient>,
    /// Oldest first.
    pub sessions: Vec<Session>,
    /// Why it does not answer.
    pub silence: Option<String>,
    /// Whether it has listed its sessions at least once.
    heard: bool,
    _task: AbortOnDrop,
}

#[derive(Debug)]
pub struct SessionRoster<News> {
    members: Vec<RosterMember>,
    news: mpsc::Sender<News>,
    /// The screen version last seen here for each session; for sessions never shown, the version when they were first
    /// listed.
    seen: HashMap<(usize, String), u64>,
}

impl<News: From<RosterReport> + Send + 'static> SessionRoster<News> {
    pub fn new(news: mpsc::Sender<News>) -> Self {
        SessionRoster { members: Vec::new(), news, seen: HashMap::new() }
    }

    /// Starts watching the coordinators in `known` that are not watched yet. `clients` are existing connections.
    pub fn watch(&mut self, known: &[Coordinator], clients: &[(Coordinator, CoordinatorClient)]) {
        for coordinator in known {
            if self.place_of(coordinator).is_some() {
                continue;
            }
            let place = self.members.len();
            let there = clients.iter().find(|(other, _)| other.endpoint == coordinator.endpoint);
            let client = there.map(|(_, client)| client.clone());
            let watch = CoordinatorWatch { place, coordinator: coordinator.clone(), news: self.news.clone() };
            let task = AbortOnDrop::spawn(watch.run(client.clone()));
            self.members.push(RosterMember {
                coordinator: coordinator.clone(),
                client,
                sessions: Vec::new(),
                silence: None,
                heard: false,
                _task: task,
            });
        }
    }

    pub fn place_of(&self, coordinator: &Coordinator) -> Option<usize> {
        self.members.iter().position(|member| member.coordinator.endpoint == coordinator.endpoint)
    }

    pub fn members(&self) -> &[RosterMember] {
        &self.members
    }

    pub fn member(&self, place: usize) -> Option<&RosterMember> {
        self.members.get(place)
    }

    /// Whether every coordinator has answered or failed to.
    pub fn complete(&self) -> bool {
        self.members.iter().all(|member| member.heard || member.silence.is_some())
    }

    /// Whether no coordinator has ever answered, and all were tried.
    pub fn nobody_answered(&self) -> bool {
        self.members.iter().all(|member| !member.heard && member.silence.is_some())
    }

    /// The silent coordinators, and why they are silent.
    pub fn silences(&self) -> Vec<(String, String)> {
        let silent = |member: &RosterMember| Some((member.coordinator.name.clone(), member.silence.clone()?));
        self.members.iter().filter_map(silent).collect()
    }

    pub fn all(&self) -> impl Iterator<Item = (usize, &Session)> {
        let of = |(place, member): (usize, &'_ RosterMember)| (place, member.sessions.len());
        let places: Vec<(usize, usize)> = self.members.iter().enumerate().map(of).collect();
        places
            .into_iter()
            .flat_map(|(place, count)| (0..count).map(move |index| (place, index)))
            .map(|(place, index)| (place, &self.members[place].sessions[index]))
    }

    pub fn find(&self, wanted: &SessionRef) -> Option<&Session> {
        self.members.get(wanted.coordinator)?.sessions.iter().find(|session| session.id == wanted.id)
    }

    /// The session `by` positions further in the list, wrapping around.
    pub fn beside(&self, current: Option<&SessionRef>, by: isize) -> Option<SessionRef> {
        let all: Vec<SessionRef> = self.all().map(|(coordinator, session)| reference(coordinator, session)).collect();
        if all.is_empty() {
            return None;
        }
        let at = current.and_then(|current| all.iter().position(|other| other == current));
        let next = at.map_or(0, |at| (at as isize + by).rem_euclid(all.len() as isize) as usize);
        Some(all[next].clone())
    }

    /// Notes that the screen was shown at this version.
    pub fn saw(&mut self, session: &SessionRef, version: u64) {
        self.seen.insert((session.coordinator, session.id.clone()), version);
    }

    /// The next session after `current` whose screen changed since it was seen.
    pub fn unseen(&self, current: Option<&SessionRef>, now: &[(usize, Session)]) -> Option<SessionRef> {
        let at = current.and_then(|current| {
            now.iter().position(|(place, session)| *place == current.coordinator && session.id == current.id)
        });
        let from = at.map_or(0, |at| at + 1);
        let in_order = now[from..].iter().chain(&now[..from]);
        let moved = |(place, session): &&(usize, Session)| {
            let known = self.seen.get(&(*place, session.id.clone()));
            known.is_none_or(|known| session.screen_version > *known)
        };
        in_order.filter(moved).map(|(place, session)| reference(*place, session)).find(|found| Some(found) != current)
    }

    pub fn apply(&mut self, place: usize, event: RosterEvent) {
        let Some(member) = self.members.get_mut(place) else { return };
        match event {
            RosterEvent::Here(client) => (member.client, member.silence) = (Some(*client), None),
            RosterEvent::Silent(reason) => {
                member.client = None;
                member.silence = Some(reason);
                member.sessions.clear();
            }
            RosterEvent::Change(change) => match change.event {
                Some(Event::Snapshot(list)) => {
                    member.heard = true;
                    member.sessions = list.sessions;
                    let listed = |id: &str| member.sessions.iter().any(|session| session.id == id);
                    self.seen.retain(|(at, id), _| *at != place || listed(id));
                    for session in &member.sessions {
                        let key = (place, session.id.clone());
                        self.seen.entry(key).or_insert(session.screen_version);
                    }
                }
                Some(Event::Added(session) | Event::Changed(session)) => {
                    match member.sessions.iter_mut().find(|known| known.id == session.id) {
                        Some(known) => *known = session,
                        None => member.sessions.push(session),
                    }
                }
                Some(Event::Removed(removed)) => {
                    member.sessions.retain(|session| session.id != removed.id);
                    self.seen.remove(&(place, removed.id));
                }
                None => {}
            },
        }
    }
}

pub fn reference(coordinator: usize, session: &Session) -> SessionRef {
    SessionRef { coordinator, id: session.id.clone() }
}

pub fn is_running(session: &Session) -> bool {
    session.status() != SessionStatus::Exited
}

/// Reports one coordinator's sessions.
struct CoordinatorWatch<News> {
    place: usize,
    coordinator: Coordinator,
    news: mpsc::Sender<News>,
}

impl<News: From<RosterReport> + Send> CoordinatorWatch<News> {
    /// Reports the list and its changes, reconnecting when the connection is lost.
    async fn run(self, mut client: Option<CoordinatorClient>) {
        let mut pause = PAUSE;
        loop {
            let silence = match client.take() {
                Some(client) => self.follow(client, &mut pause).await,
                None => match reach::reach(&self.coordinator).await {
                    Ok(reached) => self.follow(reached.client, &mut pause).await,
                    Err(silence) => silence.to_string(),
                },
            };
            if self.tell(RosterEvent::Silent(silence)).await.is_err() {
                return;
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Follows the list until the connection is lost, and returns why.
    async fn follow(&self, client: CoordinatorClient, pause: &mut Duration) -> String {
        let mut events = match client.vtr().watch_sessions(WatchSessionsRequest {}).await {
            Ok(answer) => answer.into_inner(),
            Err(status) => return refusal::silence(&status),
        };
        *pause = PAUSE;
        // The caller notices if nobody listens any more.
        let _ = self.tell(RosterEvent::Here(Box::new(client))).await;
        loop {
            match events.message().await {
                Ok(Some(change)) => {
                    let _ = self.tell(RosterEvent::Change(Box::new(change))).await;
                }
                Ok(None) => return "it ended".into(),
                Err(status) => return refusal::silence(&status),
            }
        }
    }

    async fn tell(&self, event: RosterEvent) -> Result<(), mpsc::error::SendError<News>> {
        self.news.send(RosterReport { place: self.place, event }.into()).await
    }
}

#[cfg(test)]
mod tests {
    use grpc::proto::SessionList;

    use super::*;

    fn session(id: &str, version: u64) -> Session {
        Session { id: id.into(), name: id.into(), screen_version: version, ..Session::default() }
    }

    fn roster(counts: &[&[&str]]) -> SessionRoster<RosterReport> {
        let (news, _) = tokio::sync::mpsc::channel(64);
        let mut roster = SessionRoster::new(news);
        let known: Vec<Coordinator> =
            (0..counts.len()).map(|number| Coordinator::at(format!("/nowhere/{number}").into(), PAUSE)).collect();
        roster.watch(&known, &[]);
        for (place, ids) in counts.iter().enumerate() {
            let sessions = ids.iter().map(|id| session(id, 1)).collect();
            let event = WatchSessionsEvent { event: Some(Event::Snapshot(SessionList { sessions })) };
            roster.apply(place, RosterEvent::Change(Box::new(event)));
        }
        roster
    }

    fn at(coordinator: usize, id: &str) -> SessionRef {
        SessionRef { coordinator, id: id.into() }
    }

    #[tokio::test]
    async fn next_goes_around_over_all_coordinators() {
        let roster = roster(&[&["a", "b"], &[], &["c"]]);
        assert_eq!(roster.beside(Some(&at(0, "b")), 1), Some(at(2, "c")));
        assert_eq!(roster.beside(Some(&at(2, "c")), 1), Some(at(0, "a")));
        assert_eq!(roster.beside(Some(&at(0, "a")), -1), Some(at(2, "c")));
        assert_eq!(roster.beside(None, 1), Some(at(0, "a")));
        assert!(roster.complete());
    }

    #[tokio::test]
    async fn unseen_is_what_moved_since_it_was_seen() {
        let mut roster = roster(&[&["a", "b"], &["c"]]);
        let now = [(0, session("a", 9)), (0, session("b", 1)), (1, session("c", 2))];
        assert_eq!(roster.unseen(Some(&at(0, "a")), &now), Some(at(1, "c")));
        roster.saw(&at(1, "c"), 2);
        assert_eq!(roster.unseen(Some(&at(0, "a")), &now), None);
        assert_eq!(roster.unseen(Some(&at(0, "b")), &now), Some(at(0, "a")));
    }
}
