//! Trust: which presets the human has allowed to run here.

/// What is trusted in one project.
#[derive(Debug, Default)]
pub struct Trust {}
