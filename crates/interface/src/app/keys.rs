//! Key bindings: the built-in ones, and those of config.json on top.

use std::time::Duration;

use project::Settings;
use tui::Keymap;

use super::commands;

/// An unfinished sequence is taken as it is after this time.
pub(super) const SEQUENCE_WAIT: Duration = Duration::from_millis(600);

/// The key bindings of a run, and the mistakes in the settings.
pub(super) fn keymap(settings: &Settings) -> (Keymap, Vec<String>) {
    let built_in = commands::all().flat_map(|command| command.keys.iter().map(|keys| (*keys, command.id)));
    let mut keymap = Keymap::from_table(built_in).expect("the built-in keys are checked by a test");
    let mut faults = Vec::new();
    // The keys bound by the settings, in printed form, and their commands.
    let mut own: Vec<(String, &str)> = Vec::new();
    for binding in &settings.keymap {
        let id = binding.command.as_str();
        if !id.is_empty() && !commands::can_be_bound(id) {
            faults.push(format!("config.json binds {} to '{id}', which is not a command", binding.keys));
            continue;
        }
        if let Some(keys) = printed(&binding.keys) {
            if let Some((_, before)) = own.iter().find(|(bound, before)| *bound == keys && *before != id) {
                faults
                    .push(format!("config.json binds {keys} twice, to '{before}' and to '{id}': only the last counts"));
            }
            own.push((keys, id));
        }
        if let Err(error) = keymap.bind(&binding.keys, id) {
            faults.push(format!("config.json: {error}"));
        }
    }
    if keymap.keys_of(commands::PALETTE).is_none() {
        faults.push("no key opens the palette: it has its own one again".to_owned());
        let own = commands::find(commands::PALETTE).into_iter().flat_map(|command| command.keys);
        own.for_each(|keys| {
            let _ = keymap.bind(keys, commands::PALETTE);
        });
    }
    (keymap, faults)
}

/// Presets and operations that keys are bound to, each once.
pub(super) fn beyond_the_table(keymap: &Keymap) -> Vec<String> {
    let mut ids: Vec<String> = keymap.iter().map(|(_, id)| id.to_owned()).collect();
    ids.retain(|id| commands::find(id).is_none());
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// The same for every spelling of the same keys; none for what can't be bound.
fn printed(keys: &str) -> Option<String> {
    let alone = Keymap::from_table([(keys, "any")]).ok()?;
    alone.keys_of("any")
}

#[cfg(test)]
mod tests {
    use project::settings::KeyBinding;

    use super::*;

    fn with(bindings: &[(&str, &str)]) -> (Keymap, Vec<String>) {
        let binding = |&(keys, command): &(&str, &str)| KeyBinding { keys: keys.into(), command: command.into() };
        keymap(&Settings { keymap: bindings.iter().map(binding).collect(), ..Settings::default() })
    }

    #[test]
    fn the_palette_has_more_keys_and_can_not_be_lost() {
        let (map, faults) = with(&[]);
        assert_eq!((map.keys_of("palette").as_deref(), faults.len()), (Some("ctrl+k"), 0));
        let (map, faults) = with(&[("ctrl-space", "palette")]);
        assert_eq!((map.iter().filter(|(_, id)| *id == "palette").count(), faults.len()), (2, 0));
        assert_eq!(map.keys_of("palette").as_deref(), Some("ctrl+space"), "one's own is the one that is shown");
        let (map, faults) = with(&[("ctrl-space", "palette"), ("ctrl-k", "")]);
        assert_eq!((map.iter().filter(|(_, id)| *id == "palette").count(), faults.len()), (1, 0));
        let (map, faults) = with(&[("ctrl-k", "")]);
        assert_eq!((map.keys_of("palette").as_deref(), faults.len()), (Some("ctrl+k"), 1));
    }

    #[test]
    fn one_key_for_two_commands_is_told() {
        let (map, faults) = with(&[("ctrl-t", "quit"), ("alt-q", "quit"), ("ctrl+t", "next-tab")]);
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert!(faults[0].contains("'quit'") && faults[0].contains("'next-tab'"), "{faults:?}");
        assert_eq!(map.keys_of("next-tab").as_deref(), Some("ctrl+t"));
    }

    #[test]
    fn wrong_bindings_are_told_and_hurt_no_other() {
        let (map, faults) = with(&[("f5", "no-such"), ("nokey", "quit"), ("alt-q", "quit")]);
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert!(faults[0].contains("no-such") && faults[1].contains("nokey"), "{faults:?}");
        assert_eq!(map.keys_of("quit").as_deref(), Some("alt+q"));
        let (map, faults) = with(&[("f6", "agent/claude"), ("f7", "tab-3"), ("f8", "agent/")]);
        assert_eq!(map.keys_of("agent/claude").as_deref(), Some("f6"), "presets have ids too");
        assert_eq!(faults.len(), 1, "{faults:?}");
        let (map, faults) = with(&[("f6", "operation/stop_process"), ("f7", "operation/no_such"), ("f8", "agent/x")]);
        assert_eq!(beyond_the_table(&map), ["agent/x", "operation/stop_process"]);
        assert!(faults.len() == 1 && faults[0].contains("no_such"), "{faults:?}");
    }

    /// What programs behind patterm do with keys of the kind that it binds: claude 2.1.327, codex 0.169.0 and opencode
    /// 1.18.33 by the tables in them, readline by its manual.
    const TAKEN: &[(&str, &str)] = &[
        ("claude", "alt-p alt-o alt-t alt-w alt-j alt-m alt-v alt-b alt-f alt-d alt-y alt-up alt-down alt-enter"),
        ("codex", "alt-r alt-, alt-. alt-up alt-b alt-f alt-d alt-left alt-right alt-backspace alt-delete alt-enter"),
        ("opencode", "alt-b alt-f alt-d alt-e alt-a alt-left alt-right alt-backspace alt-delete alt-enter"),
        ("opencode", "alt-shift-a alt-shift-b alt-shift-e alt-shift-f alt-shift-left alt-shift-right"),
        ("readline", "alt-b alt-f alt-d alt-y alt-c alt-u alt-l alt-t alt-r alt-. alt-_ alt-n alt-p alt-< alt-> alt-?"),
        ("readline", "alt-1 alt-2 alt-3 alt-4 alt-5 alt-6 alt-7 alt-8 alt-9 alt-0 ctrl-k"),
        ("codex", "ctrl-k"),
        ("claude", "ctrl-k"),
        ("opencode", "ctrl-k"),
    ];

    /// Keys that are ours all the same, as the guide says: the palette's, which programs get when it is pressed twice;
    /// opencode's second key for Home and its selection by words; readline's counts, which few people type.
    const OURS_ALL_THE_SAME: &[&str] = &[
        "ctrl+k",
        "alt+a",
        "alt+shift+a",
        "alt+shift+left",
        "alt+shift+right",
        "alt+1",
        "alt+2",
        "alt+3",
        "alt+4",
        "alt+5",
        "alt+6",
        "alt+7",
        "alt+8",
        "alt+9",
    ];

    #[test]
    fn built_in_keys_are_no_keys_of_agents_and_shells_but_for_those_that_the_guide_names() {
        let taken: Vec<(&str, String)> = TAKEN
            .iter()
            .flat_map(|(who, keys)| keys.split_whitespace().map(|key| (*who, printed(key).expect(key))))
            .collect();
        for command in commands::all() {
            for keys in command.keys {
                let keys = printed(keys).unwrap();
                let clash = taken.iter().find(|(_, key)| *key == keys);
                let known = OURS_ALL_THE_SAME.contains(&keys.as_str());
                assert!(clash.is_none() || known, "{keys} of '{}' is {}'s", command.id, clash.unwrap().0);
            }
        }
    }

    #[test]
    fn tabs_have_keys_and_each_built_in_key_can_be_taken_away() {
        let (map, _) = with(&[]);
        assert_eq!(map.keys_of("tab-1").as_deref(), Some("alt+1"));
        assert_eq!(map.keys_of("tab-9").as_deref(), Some("alt+9"));
        assert_eq!(map.keys_of("next-tab").as_deref(), Some("alt+pagedown"));
        let built_in: Vec<&str> = commands::all().flat_map(|command| command.keys).copied().collect();
        for keys in built_in.iter().filter(|keys| **keys != "ctrl-k") {
            let (map, faults) = with(&[(keys, "")]);
            assert!(!map.iter().any(|(bound, _)| Some(bound) == printed(keys)) && faults.is_empty(), "{keys}");
        }
    }
}
