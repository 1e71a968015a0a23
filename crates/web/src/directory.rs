//! The sessions of all coordinators: one watcher per coordinator, merged into a list that is replaced as a whole at
//! every change.
//!
//! Coordinators come and go, also because the glob pattern that named them is evaluated again. A watcher that loses its
//! coordinator retries for as long as the fleet names it.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};

use grpc::{
    client::{self, CoordinatorClient, Endpoint},
    proto::{Session, WatchSessionsRequest, watch_sessions_event::Event},
};
use tokio::{sync::watch, task::JoinHandle, time::Instant};

/// A coordinator, as the program names it.
#[derive(Clone, Debug)]
pub struct NamedCoordinator {
    pub name: String,
    pub endpoint: Endpoint,
    /// How long it may take to answer.
    pub timeout: Duration,
}

/// Lists the coordinators. Called again every few seconds, so that a pattern finds new sockets.
pub trait CoordinatorFleet: Send + Sync + 'static {
    fn coordinators(&self) -> Vec<NamedCoordinator>;
}

/// Interval between two calls of the fleet.
const FLEET_INTERVAL: Duration = Duration::from_secs(3);
/// Delay before the first reconnect; it doubles with each failure.
const FIRST_RETRY: Duration = Duration::from_millis(250);
/// Longest delay: a socket is cheap to try, but a command may be a login on another machine.
const SOCKET_RETRY: Duration = Duration::from_secs(5);
const COMMAND_RETRY: Duration = Duration::from_secs(30);
/// A connection that lasted this long resets the delay.
const GOOD_CONNECTION: Duration = Duration::from_secs(10);

/// A coordinator and its present state.
#[derive(Clone, Debug)]
pub(crate) struct CoordinatorEntry {
    /// Its name, made unique: pages refer to it by this.
    pub(crate) key: String,
    pub(crate) address: String,
    pub(crate) standing: CoordinatorStatus,
    pub(crate) sessions: Arc<BTreeMap<String, Session>>,
}

#[derive(Clone, Debug)]
pub(crate) enum CoordinatorStatus {
    Connecting,
    Up(Box<CoordinatorClient>),
    /// Not reachable, and the reason.
    Away(String),
}

pub(crate) type Places = Arc<Vec<Arc<CoordinatorEntry>>>;

/// The live list. Dropping it stops all watchers.
#[derive(Debug)]
pub(crate) struct LiveDirectory {
    places: watch::Receiver<Places>,
    keeper: JoinHandle<()>,
}

impl Drop for LiveDirectory {
    fn drop(&mut self) {
        self.keeper.abort();
    }
}

impl LiveDirectory {
    pub(crate) fn new(fleet: Arc<dyn CoordinatorFleet>) -> Self {
        let (sender, places) = watch::channel(Places::default());
        LiveDirectory { places, keeper: tokio::spawn(keep(fleet, sender)) }
    }

    pub(crate) fn places(&self) -> watch::Receiver<Places> {
        self.places.clone()
    }
}

struct DirectoryBoard {
    sender: watch::Sender<Places>,
}

impl DirectoryBoard {
    fn change(&self, key: &str, change: impl FnOnce(&mut CoordinatorEntry)) {
        self.sender.send_modify(|places| {
            let mut list = Vec::clone(places);
            if let Some(place) = list.iter_mut().find(|place| place.key == key) {
                change(Arc::make_mut(place));
            }
            *places = Arc::new(list);
        });
    }
}

/// Starts and stops watchers as the fleet changes.
async fn keep(fleet: Arc<dyn CoordinatorFleet>, sender: watch::Sender<Places>) {
    let board = Arc::new(DirectoryBoard { sender });
    let mut watchers: HashMap<(String, Endpoint), Watcher> = HashMap::new();
    loop {
        let named = fleet.coordinators();
        let wanted: HashSet<(String, Endpoint)> =
            named.iter().map(|one| (one.name.clone(), one.endpoint.clone())).collect();
        watchers.retain(|identity, _| wanted.contains(identity));
        for coordinator in &named {
            let identity = (coordinator.name.clone(), coordinator.endpoint.clone());
            if !watchers.contains_key(&identity) {
                let taken: HashSet<String> = watchers.values().map(|watcher| watcher.key.clone()).collect();
                let key = unique(&coordinator.name, &taken);
                board.sender.send_modify(|places| {
                    let mut list = Vec::clone(places);
                    list.push(Arc::new(CoordinatorEntry {
                        key: key.clone(),
                        address: coordinator.endpoint.to_string(),
                        standing: CoordinatorStatus::Connecting,
                        sessions: Arc::default(),
                    }));
                    *places = Arc::new(list);
                });
                let task = tokio::spawn(watch_one(coordinator.clone(), key.clone(), Arc::downgrade(&board)));
                watchers.insert(identity, Watcher { key, task });
            }
        }
        let kept: HashSet<&str> = watchers.values().map(|watcher| watcher.key.as_str()).collect();
        if board.sender.borrow().iter().any(|place| !kept.contains(place.key.as_str())) {
            board.sender.send_modify(|places| {
                let list = places.iter().filter(|place| kept.contains(place.key.as_str())).cloned().collect();
                *places = Arc::new(list);
            });
        }
        tokio::time::sleep(FLEET_INTERVAL).await;
    }
}

struct Watcher {
    key: String,
    task: JoinHandle<()>,
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn unique(name: &str, taken: &HashSet<String>) -> String {
    let mut key = name.to_owned();
    let mut number = 2;
    while taken.contains(&key) {
        key = format!("{name} ({number})");
        number += 1;
    }
    key
}

async fn watch_one(coordinator: NamedCoordinator, key: String, board: Weak<DirectoryBoard>) {
    let longest = match coordinator.endpoint {
        Endpoint::Socket(_) => SOCKET_RETRY,
        Endpoint::Command(_) => COMMAND_RETRY,
    };
    let mut pause = FIRST_RETRY;
    loop {
        let began = Instant::now();
        let why = follow(&coordinator, &key, &board).await;
        let Some(board) = board.upgrade() else { return };
        board.change(&key, |place| {
            place.standing = CoordinatorStatus::Away(why);
            place.sessions = Arc::default();
        });
        drop(board);
        if began.elapsed() > GOOD_CONNECTION {
            pause = FIRST_RETRY;
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(longest);
    }
}

/// Connects and follows the list while the connection lasts; returns why it ended.
async fn follow(coordinator: &NamedCoordinator, key: &str, board: &Weak<DirectoryBoard>) -> String {
    let client = match client::connect_within(&coordinator.endpoint, coordinator.timeout).await {
        Ok(client) => client,
        Err(error) => return error.to_string(),
    };
    let mut changes = match client.vtr().watch_sessions(WatchSessionsRequest {}).await {
        Ok(answer) => answer.into_inner(),
        Err(status) => return said(&status),
    };
    loop {
        let event = match changes.message().await {
            Ok(Some(event)) => event.event,
            Ok(None) => return "the coordinator has ended".to_owned(),
            Err(status) => return said(&status),
        };
        let Some(board) = board.upgrade() else { return String::new() };
        board.change(key, |place| {
            place.standing = CoordinatorStatus::Up(Box::new(client.clone()));
            let sessions = Arc::make_mut(&mut place.sessions);
            match event {
                Some(Event::Snapshot(list)) => {
                    *sessions = list.sessions.into_iter().map(|session| (session.id.clone(), session)).collect();
                }
                Some(Event::Added(session) | Event::Changed(session)) => {
                    sessions.insert(session.id.clone(), session);
                }
                Some(Event::Removed(removed)) => {
                    sessions.remove(&removed.id);
                }
                None => {}
            }
        });
    }
}

/// The error of a coordinator, worded for people.
pub(crate) fn said(status: &tonic::Status) -> String {
    match grpc::CallFailure::from(status) {
        // An error without a kind comes from the transport, not from the coordinator.
        grpc::CallFailure { kind: None, .. } => "the connection to it was closed".to_owned(),
        grpc::CallFailure { message, .. } => message,
    }
}

/// For tests and programs with a fixed set.
impl CoordinatorFleet for Vec<NamedCoordinator> {
    fn coordinators(&self) -> Vec<NamedCoordinator> {
        self.clone()
    }
}

impl CoordinatorFleet for Mutex<Vec<NamedCoordinator>> {
    fn coordinators(&self) -> Vec<NamedCoordinator> {
        self.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
