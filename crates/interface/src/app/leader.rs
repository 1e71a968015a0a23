//! The keys of `vtr attach`: everything comes after a leader key, so that programs get all other keys.

use std::collections::BTreeMap;

use tui::Keymap;
use vt::input::KeyEvent;

use super::commands::{self, PALETTE};

const LEADER: &str = "ctrl-b";

/// Sends the leader key itself.
pub(super) const SEND_LEADER: &str = "send-leader";

/// The commands that have a name of their own in `[attach.keys]`: that name, their id, and their default key.
const TABLE: [(&str, &str, &str); 12] = [
    ("detach", commands::QUIT, "d"),
    ("sessions", "open-remote", "w"),
    ("next", "next-remote", "n"),
    ("previous", "previous-remote", "p"),
    ("unseen", "unseen-remote", "o"),
    ("create", "new-remote", "c"),
    ("rename", "rename", "r"),
    ("kill", "end-remote", "k"),
    ("look-back", "copy-mode", "["),
    ("hide-frame", "hide-frame", "z"),
    ("record", "toggle-recording", "R"),
    ("help", "help", "?"),
];

/// A leader key, and what the keys after it do.
#[derive(Clone, Debug)]
pub struct LeaderKeys {
    pub(super) leader: KeyEvent,
    pub(super) keymap: Keymap,
}

impl LeaderKeys {
    /// The defaults, changed by a config file: key to command; an empty command unbinds the key.
    pub fn new(leader: Option<&str>, changes: &BTreeMap<String, String>) -> Result<Self, String> {
        let leader = leader.unwrap_or(LEADER);
        let parsed = leader.parse::<KeyEvent>().map_err(|error| format!("the key {leader:?}: {error}"))?;
        let mut keymap = Keymap::new();
        let mut bind = |key: &str, id: &str| {
            key.parse::<KeyEvent>().map_err(|error| format!("the key {key:?}: {error}"))?;
            keymap.bind(&format!("{leader} {key}"), id).map_err(|error| error.to_string())
        };
        for command in commands::all() {
            command.keys.iter().try_for_each(|key| bind(key, command.id))?;
        }
        bind(":", PALETTE)?;
        for (_, id, key) in TABLE {
            bind(key, id)?;
        }
        for (key, word) in changes {
            bind(key, id_of(word)?)?;
        }
        // Whatever else is bound: without it, programs would never get the leader key.
        bind(leader, SEND_LEADER)?;
        Ok(LeaderKeys { leader: parsed, keymap })
    }
}

/// The id of a command that the config file names; an empty word stays empty.
fn id_of(word: &str) -> Result<&str, String> {
    if word.is_empty() {
        return Ok(word);
    }
    let named = TABLE.iter().find(|(known, ..)| *known == word).map(|(_, id, _)| *id);
    let found = named.or_else(|| commands::find(word).filter(|command| command.is_in_attach()).map(|found| found.id));
    found.ok_or_else(|| {
        let known: Vec<&str> = TABLE.iter().map(|(word, ..)| *word).collect();
        format!(
            "there is no attach command {word:?}; the commands are {}, and the ids that the palette shows",
            known.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use tui::{KeySequence, KeymapOutcome};

    use super::*;

    fn changed(changes: &[(&str, &str)]) -> Result<LeaderKeys, String> {
        let changes = changes.iter().map(|(key, word)| ((*key).to_owned(), (*word).to_owned())).collect();
        LeaderKeys::new(Some("ctrl-a"), &changes)
    }

    fn typed(keys: &LeaderKeys, text: &str) -> Vec<KeymapOutcome> {
        let mut sequence = KeySequence::after_leader();
        let now = Instant::now();
        let later = |index: u32| now + Duration::from_secs(60) * index;
        let pressed = (0..).zip(text.split(' '));
        pressed.flat_map(|(index, key)| sequence.press(&keys.keymap, &key.parse().unwrap(), later(index))).collect()
    }

    fn command(id: &str) -> KeymapOutcome {
        KeymapOutcome::Command(id.to_owned())
    }

    fn key(text: &str) -> KeymapOutcome {
        KeymapOutcome::Key(text.parse().unwrap())
    }

    #[test]
    fn everything_comes_after_the_leader_however_late() {
        let keys = LeaderKeys::new(None, &BTreeMap::new()).unwrap();
        assert_eq!(typed(&keys, "d"), [key("d")]);
        assert_eq!(typed(&keys, "ctrl-k"), [key("ctrl-k")]);
        assert_eq!(typed(&keys, "alt-g"), [key("alt-g")]);
        assert_eq!(typed(&keys, "ctrl-b d"), [command("quit")]);
        assert_eq!(typed(&keys, "ctrl-b R"), [command("toggle-recording")]);
        assert_eq!(typed(&keys, "ctrl-b :"), [command(PALETTE)]);
        assert_eq!(typed(&keys, "ctrl-b ctrl-k"), [command(PALETTE)]);
        assert_eq!(typed(&keys, "ctrl-b alt-g"), [command("grid")]);
        assert_eq!(typed(&keys, "ctrl-b ctrl-b x"), [command(SEND_LEADER), key("x")]);
        assert_eq!(typed(&keys, "ctrl-b esc x"), [key("x")], "Escape takes the leader back");
        let unbound = KeymapOutcome::Unbound("ctrl+b x".to_owned());
        assert_eq!(typed(&keys, "ctrl-b x y"), [unbound, key("y")]);
    }

    #[test]
    fn every_key_can_be_changed() {
        let keys = changed(&[("x", "kill"), ("k", ""), ("n", "help"), ("s", "split-right-with")]).unwrap();
        assert_eq!(keys.keymap.keys_of("end-remote").as_deref(), Some("ctrl+a x"));
        assert_eq!(keys.keymap.keys_of("next-remote"), None);
        assert_eq!(keys.keymap.keys_of("split-right-with").as_deref(), Some("ctrl+a s"));
        assert_eq!(keys.keymap.keys_of(SEND_LEADER).as_deref(), Some("ctrl+a ctrl+a"));
        assert!(changed(&[("x", "explode")]).unwrap_err().contains("look-back"));
        assert!(changed(&[("x", "new-terminal")]).is_err(), "attach has no terminals of its own");
        assert!(changed(&[("ctrl-nothing", "kill")]).is_err());
    }
}
