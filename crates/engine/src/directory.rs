//! The sessions of an engine and their names.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

use crate::error::{Error, LimitExceeded, Result};
use crate::fair_lock::lock;
use crate::names::{SessionId, SessionName, near_name};
use crate::options::NameChoice;
use crate::session::shared::SessionShared;
use crate::session::status::Kind;

/// The only place that knows names: a session's own state does not contain its name.
#[derive(Debug)]
pub(crate) struct Directory {
    table: Mutex<NameTable>,
    limit: usize,
}

#[derive(Debug, Default)]
struct NameTable {
    entries: HashMap<SessionId, DirectoryEntry>,
    by_name: HashMap<SessionName, SessionId>,
    /// Default names are never reused, so a name that an agent remembers never means another session.
    next_number: HashMap<String, u64>,
    /// Ids of sessions that run elsewhere.
    foreign: HashSet<SessionId>,
    added: u64,
    closed: bool,
}

#[derive(Debug)]
struct DirectoryEntry {
    name: SessionName,
    /// Order of creation.
    number: u64,
    /// `None` while only the name is reserved.
    shared: Option<Arc<SessionShared>>,
}

impl Directory {
    pub(crate) fn new(limit: usize) -> Self {
        Directory { table: Mutex::default(), limit }
    }

    /// Reserves an unused name and id. They become free again unless [`Directory::fill`] follows, and after
    /// [`Directory::remove`].
    pub(crate) fn reserve(&self, choice: &NameChoice, kind: Kind) -> Result<SessionId> {
        let mut table = lock(&self.table);
        if table.closed {
            return Err(Error::ShuttingDown);
        }
        if table.entries.len() >= self.limit {
            drop(table);
            let ended = self.all().iter().filter(|shared| shared.record().status.has_ended()).count();
            return Err(LimitExceeded::Sessions { limit: self.limit, ended }.into());
        }
        let name = match choice {
            NameChoice::Exactly(name) => name.clone(),
            NameChoice::FromSlug(slug) => table.default_name(slug),
            NameChoice::FromKind => table.default_name(kind.as_str()),
        };
        if let Some(holder) = table.by_name.get(&name) {
            return Err(Error::AlreadyExists { name, holder: *holder });
        }
        let id = table.new_id();
        let number = table.added;
        table.added += 1;
        table.by_name.insert(name.clone(), id);
        table.entries.insert(id, DirectoryEntry { name, number, shared: None });
        Ok(id)
    }

    /// An id that no session of this engine gets.
    pub(crate) fn foreign_id(&self) -> SessionId {
        let mut table = lock(&self.table);
        let id = table.new_id();
        table.foreign.insert(id);
        id
    }

    pub(crate) fn fill(&self, shared: Arc<SessionShared>) {
        if let Some(entry) = lock(&self.table).entries.get_mut(&shared.id) {
            entry.shared = Some(shared);
        }
    }

    pub(crate) fn remove(&self, id: SessionId) -> bool {
        let mut table = lock(&self.table);
        let Some(entry) = table.entries.remove(&id) else { return false };
        table.by_name.remove(&entry.name);
        true
    }

    /// From now on no session can be added.
    pub(crate) fn close(&self) {
        lock(&self.table).closed = true;
    }

    pub(crate) fn is_closed(&self) -> bool {
        lock(&self.table).closed
    }

    pub(crate) fn rename(&self, id: SessionId, name: SessionName) -> Result<()> {
        let mut table = lock(&self.table);
        match table.by_name.get(&name) {
            Some(holder) if *holder == id => return Ok(()),
            Some(holder) => return Err(Error::AlreadyExists { holder: *holder, name }),
            None => {}
        }
        let Some(entry) = table.entries.get_mut(&id) else {
            return Err(Error::no_session(id));
        };
        let old = std::mem::replace(&mut entry.name, name.clone());
        table.by_name.remove(&old);
        table.by_name.insert(name, id);
        Ok(())
    }

    pub(crate) fn name(&self, id: SessionId) -> Option<SessionName> {
        lock(&self.table).entries.get(&id).map(|entry| entry.name.clone())
    }

    pub(crate) fn get(&self, id: SessionId) -> Option<Arc<SessionShared>> {
        lock(&self.table).entries.get(&id)?.shared.clone()
    }

    /// Finds a session by id or name.
    pub(crate) fn find(&self, wanted: &str) -> Result<Arc<SessionShared>> {
        let table = lock(&self.table);
        let id = wanted.parse().ok().or_else(|| table.by_name.get(wanted).copied());
        let found = id.and_then(|id| table.entries.get(&id)).and_then(|entry| entry.shared.clone());
        // The text comes from outside: only part of a long one is repeated.
        found.ok_or_else(|| {
            let wanted: String = wanted.chars().take(SessionName::MAX_LENGTH).collect();
            let near = near_name(&wanted, table.by_name.keys().map(SessionName::as_str));
            Error::NotFound { near: near.and_then(|name| SessionName::new(name).ok()), wanted }
        })
    }

    /// In order of creation.
    pub(crate) fn all(&self) -> Vec<Arc<SessionShared>> {
        let table = lock(&self.table);
        let mut all: Vec<_> =
            table.entries.values().filter_map(|entry| Some((entry.number, entry.shared.clone()?))).collect();
        drop(table);
        all.sort_by_key(|(number, _)| *number);
        all.into_iter().map(|(_, shared)| shared).collect()
    }

    pub(crate) fn children_of(&self, parent: SessionId) -> Vec<Arc<SessionShared>> {
        let mut all = self.all();
        all.retain(|shared| shared.parent == Some(parent));
        all
    }

    /// A session and everything below it, parents before their children.
    pub(crate) fn tree(&self, root: &Arc<SessionShared>) -> Vec<Arc<SessionShared>> {
        let mut tree = vec![root.clone()];
        // A child is always created after its parent, so one pass in order of creation finds the whole tree.
        for shared in self.all() {
            if tree.iter().any(|above| shared.parent == Some(above.id)) {
                tree.push(shared);
            }
        }
        tree
    }
}

impl NameTable {
    fn default_name(&mut self, slug: &str) -> SessionName {
        let next = self.next_number.entry(slug.to_owned()).or_insert(1);
        loop {
            let name = SessionName::numbered(slug, *next);
            *next += 1;
            if !self.by_name.contains_key(&name) {
                return name;
            }
        }
    }

    fn new_id(&self) -> SessionId {
        loop {
            let id = SessionId::random();
            if !self.entries.contains_key(&id) && !self.foreign.contains(&id) {
                return id;
            }
        }
    }
}
