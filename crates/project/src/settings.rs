//! What the user has set in config.json.

/// Everything the user can set. The default is what a user without a config.json gets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {}
