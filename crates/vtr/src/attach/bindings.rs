//! The leader key, and what the keys after it do. All of them can be changed in the config file.

use std::collections::BTreeMap;

use tui::is_same_key;
use vt::input::{Key, KeyEvent, KeyEventKind};

/// A command after the leader key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeaderCommand {
    Create,
    Detach,
    Kill,
    Next,
    Previous,
    Sessions,
    Rename,
    Unseen,
    LookBack,
    HideFrame,
    Record,
    Help,
}

impl LeaderCommand {
    /// Whether it changes or starts a session, which is not allowed when attached read-only.
    pub(crate) fn changes(self) -> bool {
        matches!(self, LeaderCommand::Create | LeaderCommand::Kill | LeaderCommand::Rename | LeaderCommand::Record)
    }
}

/// Command, its name in the config file, its default keys, and its help text.
const TABLE: [(LeaderCommand, &str, &str, &str); 12] = [
    (LeaderCommand::Detach, "detach", "d", "leave; the session goes on"),
    (LeaderCommand::Sessions, "sessions", "w", "choose a session"),
    (LeaderCommand::Next, "next", "n", "next session"),
    (LeaderCommand::Previous, "previous", "p", "previous session"),
    (LeaderCommand::Unseen, "unseen", "o", "next session with unseen output"),
    (LeaderCommand::Create, "create", "c", "start a session"),
    (LeaderCommand::Rename, "rename", "r", "rename this session"),
    (LeaderCommand::Kill, "kill", "k", "end or remove this session"),
    (LeaderCommand::LookBack, "look-back", "[", "scroll, search and copy"),
    (LeaderCommand::HideFrame, "hide-frame", "z", "hide or show the frame"),
    (LeaderCommand::Record, "record", "R", "start or stop a recording"),
    (LeaderCommand::Help, "help", "?", "this page"),
];

const LEADER: &str = "ctrl-b";

#[derive(Clone, Debug)]
pub(crate) struct LeaderBindings {
    leader: KeyEvent,
    keys: Vec<(KeyEvent, LeaderCommand)>,
}

impl LeaderBindings {
    /// The defaults, changed by a config file: key to command; an empty command unbinds the key.
    pub(crate) fn new(leader: Option<&str>, changes: &BTreeMap<String, String>) -> Result<Self, String> {
        let parse = |key: &str| key.parse::<KeyEvent>().map_err(|error| format!("the key {key:?}: {error}"));
        let mut bindings = LeaderBindings { leader: parse(leader.unwrap_or(LEADER))?, keys: Vec::new() };
        for (command, _, key, _) in TABLE {
            bindings.keys.push((parse(key)?, command));
        }
        for (key, word) in changes {
            let key = parse(key)?;
            bindings.keys.retain(|(bound, _)| *bound != key);
            if word.is_empty() {
                continue;
            }
            let Some((command, ..)) = TABLE.iter().find(|(_, known, ..)| known == word) else {
                let known: Vec<&str> = TABLE.iter().map(|(_, word, ..)| *word).collect();
                return Err(format!("there is no attach command {word:?}; the commands are {}", known.join(", ")));
            };
            bindings.keys.push((key, *command));
        }
        Ok(bindings)
    }

    pub(crate) fn leader(&self) -> &KeyEvent {
        &self.leader
    }

    /// How to type a command, for hints; only the leader if it has no key.
    pub(crate) fn keys_of(&self, command: LeaderCommand) -> String {
        match self.keys.iter().find(|(_, bound)| *bound == command) {
            Some((key, _)) => format!("{} {key}", self.leader),
            None => self.leader.to_string(),
        }
    }

    /// Keys and help of all bound commands, in the table's order; when read-only, without those that change something.
    pub(crate) fn help(&self, read_only: bool) -> Vec<(String, &'static str)> {
        let bound = |(command, _, _, text): (LeaderCommand, &str, &str, &'static str)| {
            let keys = self.keys.iter().filter(move |(_, bound)| *bound == command);
            keys.map(move |(key, _)| (format!("{} {key}", self.leader), text)).collect::<Vec<_>>()
        };
        let offered = TABLE.into_iter().filter(|(command, ..)| !(read_only && command.changes()));
        let mut help: Vec<_> = offered.flat_map(bound).collect();
        if read_only {
            return help;
        }
        help.push((format!("{0} {0}", self.leader), "send the leader key itself"));
        help
    }
}

/// What a key turned out to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LeaderOutcome {
    ForChild(KeyEvent),
    Command(LeaderCommand),
    /// A key after the leader that is not bound.
    Unbound(KeyEvent),
    /// The leader itself, a key after it, or the release of either.
    Taken,
}

/// Whether the leader was pressed last.
#[derive(Debug, Default)]
pub(crate) struct LeaderState {
    pending: bool,
    /// Keys pressed for us: we also take their releases.
    held: Vec<Key>,
}

/// Keys whose release is awaited. Hosts that report no releases never remove them.
const MAX_HELD: usize = 4;

impl LeaderState {
    pub(crate) fn pending(&self) -> bool {
        self.pending
    }

    pub(crate) fn take(&mut self, bindings: &LeaderBindings, key: &KeyEvent) -> LeaderOutcome {
        if key.kind == KeyEventKind::Release {
            return match self.held.iter().position(|held| *held == key.key) {
                Some(index) => {
                    self.held.remove(index);
                    LeaderOutcome::Taken
                }
                None => LeaderOutcome::ForChild(key.clone()),
            };
        }
        if !self.pending {
            if !is_same_key(&bindings.leader, key) {
                return LeaderOutcome::ForChild(key.clone());
            }
            self.pending = true;
            self.hold(key.key);
            return LeaderOutcome::Taken;
        }
        // A modifier is held in order to type the next key.
        if matches!(key.key, Key::Modifier(_)) {
            return LeaderOutcome::Taken;
        }
        self.pending = false;
        if is_same_key(&bindings.leader, key) {
            return LeaderOutcome::ForChild(key.clone());
        }
        self.hold(key.key);
        match bindings.keys.iter().rev().find(|(bound, _)| is_same_key(bound, key)) {
            Some((_, command)) => LeaderOutcome::Command(*command),
            None if key.key == Key::Escape => LeaderOutcome::Taken,
            None => LeaderOutcome::Unbound(key.clone()),
        }
    }

    fn hold(&mut self, key: Key) {
        self.held.push(key);
        let excess = self.held.len().saturating_sub(MAX_HELD);
        self.held.drain(..excess);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> KeyEvent {
        text.parse().unwrap()
    }

    fn changed(changes: &[(&str, &str)]) -> Result<LeaderBindings, String> {
        let changes = changes.iter().map(|(key, word)| ((*key).to_owned(), (*word).to_owned())).collect();
        LeaderBindings::new(Some("ctrl-a"), &changes)
    }

    #[test]
    fn the_leader_comes_first_and_twice_is_itself() {
        let bindings = LeaderBindings::new(None, &BTreeMap::new()).unwrap();
        let mut leader = LeaderState::default();
        let mut take = |text: &str| leader.take(&bindings, &key(text));
        assert_eq!(take("d"), LeaderOutcome::ForChild(key("d")));
        assert_eq!((take("ctrl-b"), take("d")), (LeaderOutcome::Taken, LeaderOutcome::Command(LeaderCommand::Detach)));
        assert_eq!((take("ctrl-b"), take("ctrl-b")), (LeaderOutcome::Taken, LeaderOutcome::ForChild(key("ctrl-b"))));
        assert_eq!((take("ctrl-b"), take("R")), (LeaderOutcome::Taken, LeaderOutcome::Command(LeaderCommand::Record)));
        assert_eq!((take("ctrl-b"), take("x")), (LeaderOutcome::Taken, LeaderOutcome::Unbound(key("x"))));
        assert_eq!(
            (take("ctrl-b"), take("esc"), take("x")),
            (LeaderOutcome::Taken, LeaderOutcome::Taken, LeaderOutcome::ForChild(key("x")))
        );
    }

    #[test]
    fn releases_follow_their_presses() {
        let bindings = LeaderBindings::new(None, &BTreeMap::new()).unwrap();
        let mut leader = LeaderState::default();
        leader.take(&bindings, &key("ctrl-b"));
        let release = key("ctrl-b").with_kind(KeyEventKind::Release);
        assert_eq!(leader.take(&bindings, &release), LeaderOutcome::Taken);
        assert!(leader.pending());
        let other = key("x").with_kind(KeyEventKind::Release);
        assert_eq!(leader.take(&bindings, &other), LeaderOutcome::ForChild(other.clone()));
    }

    #[test]
    fn every_key_can_be_changed() {
        let bindings = changed(&[("x", "kill"), ("k", ""), ("n", "help")]).unwrap();
        assert_eq!(bindings.keys_of(LeaderCommand::Kill), "ctrl+a x");
        assert_eq!(bindings.keys_of(LeaderCommand::Next), "ctrl+a");
        assert!(bindings.help(false).iter().any(|(keys, _)| keys == "ctrl+a ctrl+a"));
        assert!(changed(&[("x", "explode")]).unwrap_err().contains("look-back"));
        assert!(changed(&[("ctrl-nothing", "kill")]).is_err());
    }
}
