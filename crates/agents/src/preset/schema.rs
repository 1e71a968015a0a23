//! The JSON Schemas of preset files, for editors and for `presets check`.

use schemars::Schema;

use super::agent::AgentPreset;
use super::process::ProcessPreset;

/// Of files in `presets/agents`.
pub fn agent_schema() -> Schema {
    schemars::schema_for!(AgentPreset)
}

/// Of files in `presets/processes`.
pub fn process_schema() -> Schema {
    schemars::schema_for!(ProcessPreset)
}
