//! Presets: JSON files, comments allowed, that say how to start an agent or a command.
//!
//! A file is read by [`parse`](parse_agent), folders by [`Catalog::scan`], and [`PresetStore`] follows them while the
//! program runs. The fields of a preset are documented in `agent`, `process` and `rule`.

mod agent;
mod catalog;
mod content;
mod expression;
mod injection;
mod interpolation;
mod jsonc;
mod names;
mod parse;
mod places;
mod process;
mod prompt;
mod resume;
mod rule;
mod rules_file;
mod schema;
mod shipped;
mod store;
mod versions;

pub use agent::{AgentPreset, DefaultChoice, ReadySignal, RowRange, Submit, TrimHint};
pub use catalog::{Catalog, Found, Place, PresetFolders};
pub use content::{ContentChange, ContentHash, PresetContent};
pub use expression::Expression;
pub use injection::{FileText, Injection, InjectionFormat, PointsTo};
pub use interpolation::{Placeholder, Template, TemplateError, TemplateValues};
pub use jsonc::plain_json;
pub use names::slug;
pub use parse::{MAX_PRESET_BYTES, Problem, Severity, parse_agent, parse_process};
pub(crate) use places::expand_home;
pub use places::resolve_folder;
pub use process::ProcessPreset;
pub use prompt::{Mark, PermissionRules, PromptRule};
pub use resume::{ConversationId, ResumeMethod};
pub use rule::{
    Condition, DecisionKind, InputBox, ModeRule, OscMatch, ProgressKind, Proof, Region, Rule, TtyMatch, Vote,
};
pub use rules_file::{ParsedRules, RulesError, RulesFile};
pub use schema::{agent_schema, process_schema, rules_schema};
pub use shipped::{MORE, SHIPPED, Shipped, install_more, install_shipped};
pub use store::PresetStore;
pub use versions::PresetVersions;
