//! Scratchpads: the project's shared texts.

/// The scratchpads of one project.
#[derive(Debug, Default)]
pub struct Scratchpads {}
