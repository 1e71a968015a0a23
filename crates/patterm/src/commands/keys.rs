//! `patterm keys`

use interface::app;
use program::{Exit, Outcome, Surroundings};
use serde_json::json;

use crate::{
    commands::config,
    output::{self, Output},
};

/// List every screen command: its id, and its keys under your settings
///
/// `keymap` in config.json binds keys to these ids. Presets (`agent/NAME`, `process/NAME`) and operations
/// (`operation/NAME`) are listed where keys are bound to them.
#[derive(Debug, clap::Args)]
pub(crate) struct KeysArgs {}

impl KeysArgs {
    pub(crate) fn run(self, surroundings: &Surroundings, output: &mut Output) -> Outcome {
        let settings = config::load(surroundings, output)?;
        let bindings = app::bindings(&settings);
        for fault in &bindings.faults {
            output.warn(fault);
        }
        let commands = bindings.commands;
        let value: Vec<_> = commands
            .iter()
            .map(|command| json!({ "id": command.id, "title": command.title, "section": command.section, "keys": command.keys, "all_keys": command.all_keys }))
            .collect();
        let rows: Vec<[String; 3]> = commands
            .iter()
            .map(|command| [command.id.clone(), command.all_keys.join(", "), command.title.clone()])
            .collect();
        output.answer(&value, &output::columns(["COMMAND", "KEYS", "DOES"], &rows))?;
        Ok(Exit::Done)
    }
}
