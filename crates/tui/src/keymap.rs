//! Maps keys and key sequences to command ids.
//!
//! Bindings are a table, so each can be changed. The keymap knows no commands: an id is an opaque string.

use std::time::{Duration, Instant};

use thiserror::Error;
use vt::input::{Key, KeyEvent, KeyEventKind, KeyParseError, Modifiers};

/// Keys of the longest sequence; nobody remembers more.
const MAX_KEYS: usize = 8;

/// Why a binding is invalid.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BindError {
    #[error("the binding of {command:?} has no key: write one, or several separated by blanks, as in \"ctrl-k g\"")]
    NoKeys { command: String },
    #[error("the binding {keys:?} has more than {MAX_KEYS} keys: use fewer")]
    TooLong { keys: String },
    #[error("in the binding {keys:?}: {source}")]
    Key { keys: String, source: KeyParseError },
}

#[derive(Clone, Debug)]
struct Binding {
    keys: Vec<KeyEvent>,
    command: String,
}

/// Which keys mean which command.
#[derive(Clone, Debug, Default)]
pub struct Keymap {
    bindings: Vec<Binding>,
}

impl Keymap {
    pub fn new() -> Self {
        Keymap::default()
    }

    /// Builds a keymap from a table of keys and commands, and checks it.
    pub fn from_table<'a>(table: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, BindError> {
        let mut keymap = Keymap::new();
        for (keys, command) in table {
            keymap.bind(keys, command)?;
        }
        Ok(keymap)
    }

    /// Binds a sequence such as `ctrl-k g`, replacing its former binding. An empty command unbinds it.
    pub fn bind(&mut self, keys: &str, command: &str) -> Result<(), BindError> {
        let parsed: Result<Vec<KeyEvent>, _> = keys.split_whitespace().take(MAX_KEYS + 1).map(str::parse).collect();
        let parsed = parsed.map_err(|source| BindError::Key { keys: keys.to_owned(), source })?;
        match parsed.len() {
            0 => return Err(BindError::NoKeys { command: command.to_owned() }),
            1..=MAX_KEYS => {}
            _ => return Err(BindError::TooLong { keys: keys.chars().take(80).collect() }),
        }
        self.bindings.retain(|binding| binding.keys != parsed);
        if !command.is_empty() {
            self.bindings.push(Binding { keys: parsed, command: command.to_owned() });
        }
        Ok(())
    }

    /// How to type `command`, shortest first; `None` if it has no binding.
    pub fn keys_of(&self, command: &str) -> Option<String> {
        // Among bindings of equal length the last one wins: it is the user's own.
        let bindings = self.bindings.iter().rev().filter(|binding| binding.command == command);
        let binding = bindings.min_by_key(|binding| binding.keys.len())?;
        Some(binding.keys.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
    }

    /// All bindings, as they are displayed.
    pub fn iter(&self) -> impl Iterator<Item = (String, &str)> {
        self.bindings.iter().map(|binding| {
            let keys: Vec<String> = binding.keys.iter().map(ToString::to_string).collect();
            (keys.join(" "), binding.command.as_str())
        })
    }

    fn exact(&self, typed: &[KeyEvent]) -> Option<&str> {
        let found = self.bindings.iter().find(|binding| binding.keys.len() == typed.len() && begins(binding, typed))?;
        Some(&found.command)
    }

    fn goes_on(&self, typed: &[KeyEvent]) -> bool {
        self.bindings.iter().any(|binding| binding.keys.len() > typed.len() && begins(binding, typed))
    }
}

fn begins(binding: &Binding, typed: &[KeyEvent]) -> bool {
    binding.keys.iter().zip(typed).all(|(bound, typed)| is_same_key(bound, typed))
}

/// Whether `typed` is the bound key. Lock keys are ignored; a symbol matches whether or not Shift is spelled out (`?`
/// and Shift with `/`); a letter of another script matches the key at its place on a US keyboard.
pub fn is_same_key(bound: &KeyEvent, typed: &KeyEvent) -> bool {
    let without_locks = |event: &KeyEvent| event.modifiers - Modifiers::CAPS_LOCK - Modifiers::NUM_LOCK;
    let (wanted, held) = (without_locks(bound), without_locks(typed));
    if typed.key == Key::Char('\n') {
        // A raw line feed: hosts without the kitty protocol send it for Ctrl+J.
        return bound.key == Key::Char('j') && wanted == held | Modifiers::CTRL;
    }
    if bound.key == typed.key && wanted == held {
        return true;
    }
    let shifted = held.contains(Modifiers::SHIFT)
        && wanted == held - Modifiers::SHIFT
        && typed.shifted.is_some_and(|shifted| bound.key == Key::Char(shifted));
    let same_place = wanted == held
        && matches!(typed.key, Key::Char(c) if !c.is_ascii())
        && typed.base_layout.is_some_and(|base| bound.key == Key::Char(base));
    shifted || same_place
}

/// What a key led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeymapOutcome {
    Command(String),
    /// Not bound: passed on to the layer below.
    Key(KeyEvent),
    /// Keys after the leader that are not bound, as they are displayed.
    Unbound(String),
}

/// The keys of an unfinished sequence.
#[derive(Debug)]
pub struct KeySequence {
    /// `None`: the first key is a leader. A sequence then waits for as long as it takes, and none of its keys is passed on.
    wait: Option<Duration>,
    typed: Vec<KeyEvent>,
    since: Option<Instant>,
    /// Presses that were consumed; their releases are consumed too.
    taken: Vec<Key>,
}

impl KeySequence {
    /// A sequence that is not finished within `wait` is resolved as typed so far.
    pub fn new(wait: Duration) -> Self {
        KeySequence { wait: Some(wait), typed: Vec::new(), since: None, taken: Vec::new() }
    }

    /// All sequences begin with a leader key: what follows it is a command, or nothing.
    pub fn after_leader() -> Self {
        KeySequence { wait: None, typed: Vec::new(), since: None, taken: Vec::new() }
    }

    /// The keys of a possible sequence, for the status line.
    pub fn pending(&self) -> &[KeyEvent] {
        &self.typed
    }

    /// When to call [`expire`](Self::expire).
    pub fn deadline(&self) -> Option<Instant> {
        Some(self.since? + self.wait?)
    }

    /// Takes a key. Returns nothing while a sequence is possible, and for the release of a consumed key.
    pub fn press(&mut self, keymap: &Keymap, event: &KeyEvent, now: Instant) -> Vec<KeymapOutcome> {
        if event.kind == KeyEventKind::Release {
            let ours = self.taken.iter().position(|&key| key == event.key);
            return match ours {
                Some(index) => {
                    self.taken.swap_remove(index);
                    Vec::new()
                }
                None => vec![KeymapOutcome::Key(event.clone())],
            };
        }
        if let Key::Modifier(_) = event.key {
            // A modifier held to type the sequence's next key does not end the sequence.
            return if self.typed.is_empty() { vec![KeymapOutcome::Key(event.clone())] } else { Vec::new() };
        }
        self.typed.push(event.clone());
        if keymap.goes_on(&self.typed) {
            self.since = Some(now);
            return Vec::new();
        }
        self.settle(keymap)
    }

    /// No further key came in time.
    pub fn expire(&mut self, keymap: &Keymap) -> Vec<KeymapOutcome> {
        self.settle(keymap)
    }

    /// Splits the typed keys into the longest bindings; unbound keys are passed on.
    fn settle(&mut self, keymap: &Keymap) -> Vec<KeymapOutcome> {
        self.since = None;
        let typed = std::mem::take(&mut self.typed);
        if self.wait.is_none() && typed.len() > 1 && keymap.exact(&typed).is_none() {
            return self.unbound(typed);
        }
        let mut rest = &typed[..];
        let mut out = Vec::new();
        while !rest.is_empty() {
            let found = (1..=rest.len()).rev().find_map(|count| Some((count, keymap.exact(&rest[..count])?)));
            let (count, press) = match found {
                Some((count, command)) => (count, KeymapOutcome::Command(command.to_owned())),
                None => (1, KeymapOutcome::Key(rest[0].clone())),
            };
            if found.is_some() {
                self.take(&rest[..count]);
            }
            out.push(press);
            rest = &rest[count..];
        }
        out
    }

    /// Escape takes the leader back without a word.
    fn unbound(&mut self, typed: Vec<KeyEvent>) -> Vec<KeymapOutcome> {
        self.take(&typed);
        match typed.last().map(|last| last.key) {
            Some(Key::Escape) => Vec::new(),
            _ => {
                let keys: Vec<String> = typed.iter().map(ToString::to_string).collect();
                vec![KeymapOutcome::Unbound(keys.join(" "))]
            }
        }
    }

    /// The releases of these keys are consumed too.
    fn take(&mut self, keys: &[KeyEvent]) {
        self.taken.extend(keys.iter().map(|event| event.key));
        // Hosts that report no releases never remove entries.
        let excess = self.taken.len().saturating_sub(MAX_KEYS);
        self.taken.drain(..excess);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keymap() -> Keymap {
        Keymap::from_table([("ctrl-k", "palette"), ("ctrl-k ctrl-k", "literal"), ("g g", "top"), ("?", "help")])
            .unwrap()
    }

    fn key(text: &str) -> KeyEvent {
        text.parse().unwrap()
    }

    fn run(keys: &[&str]) -> Vec<KeymapOutcome> {
        let keymap = keymap();
        let mut sequence = KeySequence::new(Duration::from_secs(1));
        let now = Instant::now();
        let mut out: Vec<KeymapOutcome> =
            keys.iter().flat_map(|text| sequence.press(&keymap, &key(text), now)).collect();
        out.extend(sequence.expire(&keymap));
        out
    }

    fn command(id: &str) -> KeymapOutcome {
        KeymapOutcome::Command(id.to_owned())
    }

    #[test]
    fn the_longest_sequence_wins() {
        assert_eq!(run(&["ctrl-k"]), [command("palette")]);
        assert_eq!(run(&["ctrl-k", "ctrl-k"]), [command("literal")]);
        assert_eq!(run(&["ctrl-k", "x"]), [command("palette"), KeymapOutcome::Key(key("x"))]);
        assert_eq!(run(&["g", "x"]), [KeymapOutcome::Key(key("g")), KeymapOutcome::Key(key("x"))]);
        assert_eq!(run(&["g", "g", "g"]), [command("top"), KeymapOutcome::Key(key("g"))]);
    }

    #[test]
    fn a_sequence_waits_and_then_settles() {
        let keymap = keymap();
        let mut sequence = KeySequence::new(Duration::from_millis(300));
        let now = Instant::now();
        assert!(sequence.press(&keymap, &key("ctrl-k"), now).is_empty());
        assert_eq!(sequence.deadline(), Some(now + Duration::from_millis(300)));
        assert_eq!(sequence.pending().len(), 1);
        assert_eq!(sequence.expire(&keymap), [command("palette")]);
        assert_eq!(sequence.deadline(), None);
        // The release of a bound key does not go to the child.
        let release = key("ctrl-k").with_kind(KeyEventKind::Release);
        assert!(sequence.press(&keymap, &release, now).is_empty());
        assert_eq!(sequence.press(&keymap, &release, now), [KeymapOutcome::Key(release.clone())]);
    }

    #[test]
    fn layouts_and_shift_do_not_matter() {
        let cyrillic = KeyEvent::new('л', Modifiers::CTRL).with_base_layout('k');
        assert!(is_same_key(&key("ctrl-k"), &cyrillic));
        assert!(is_same_key(&key("?"), &KeyEvent::new('/', Modifiers::SHIFT).with_shifted('?')));
        assert!(is_same_key(&key("?"), &key("?")));
        assert!(is_same_key(&key("ctrl-j"), &KeyEvent::press('\n')));
        assert!(is_same_key(&key("ctrl-k"), &KeyEvent::new('k', Modifiers::CTRL | Modifiers::NUM_LOCK)));
        assert!(!is_same_key(&key("ctrl-k"), &key("k")) && !is_same_key(&key("k"), &key("K")));
    }

    #[test]
    fn every_binding_can_be_changed() {
        let mut keymap = keymap();
        keymap.bind("ctrl-b", "palette").unwrap();
        keymap.bind("ctrl-k", "").unwrap();
        assert_eq!(keymap.keys_of("palette").as_deref(), Some("ctrl+b"));
        keymap.bind("ctrl+b", "help").unwrap();
        assert_eq!(keymap.keys_of("palette"), None);
        assert_eq!(keymap.iter().count(), 4);
        assert!(matches!(keymap.bind("ctrl-nothing", "x"), Err(BindError::Key { .. })));
        assert!(matches!(keymap.bind(" ", "x"), Err(BindError::NoKeys { .. })));
        assert!(matches!(keymap.bind("a b c d e f g h i", "x"), Err(BindError::TooLong { .. })));
    }
}
