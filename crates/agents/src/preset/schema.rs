//! The JSON Schemas of preset files, for editors and for `presets check`.

use schemars::Schema;

use super::agent::AgentPreset;
use super::process::ProcessPreset;
use super::rules_file::RulesFile;

/// The schema of files in `presets/agents`.
pub fn agent_schema() -> Schema {
    schemars::schema_for!(AgentPreset)
}

/// The schema of files in `presets/rules`.
pub fn rules_schema() -> Schema {
    schemars::schema_for!(RulesFile)
}

/// The schema of files in `presets/processes`.
pub fn process_schema() -> Schema {
    schemars::schema_for!(ProcessPreset)
}
