//! Which keys mean which command: the built-in ones, and those of config.json on top.

use std::time::Duration;

use project::Settings;
use tui::Keymap;

use super::commands;

/// A sequence that is not finished by then means what it means so far.
pub(super) const SEQUENCE_WAIT: Duration = Duration::from_millis(600);

/// The bindings of a run, and what is wrong with those of the settings.
pub(super) fn keymap(settings: &Settings) -> (Keymap, Vec<String>) {
    let built_in = commands::all().flat_map(|command| command.keys.iter().map(|keys| (*keys, command.id)));
    let mut keymap = Keymap::from_table(built_in).expect("the built-in keys are checked by a test");
    let mut faults = Vec::new();
    // Keys that the settings have given a meaning, as they are printed, and which.
    let mut own: Vec<(String, &str)> = Vec::new();
    for binding in &settings.keymap {
        let id = binding.command.as_str();
        if !id.is_empty() && !commands::can_be_bound(id) {
            faults.push(format!("config.json binds {} to '{id}', which is no command", binding.keys));
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
    }
}
