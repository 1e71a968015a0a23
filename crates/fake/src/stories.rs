//! Built-in scripts, played by `--story NAME` and used by tests of orchestration.

use crate::script::{FakeScript, ScriptError};

/// Name and text of each. A fake without a script plays `echo`.
pub const STORIES: &[(&str, &str)] = &[
    ("echo", include_str!("../stories/echo.json")),
    ("orchestrator", include_str!("../stories/orchestrator.json")),
    ("orchestrator-trouble", include_str!("../stories/orchestrator-trouble.json")),
    ("reviewer", include_str!("../stories/reviewer.json")),
    ("builder", include_str!("../stories/builder.json")),
    ("troubled", include_str!("../stories/troubled.json")),
];

pub(crate) fn story(name: &str) -> Result<FakeScript, ScriptError> {
    let found = STORIES.iter().find(|(other, _)| *other == name);
    let Some((_, text)) = found else {
        let names: Vec<&str> = STORIES.iter().map(|(name, _)| *name).collect();
        return Err(ScriptError::NoStory(name.into(), names.join(", ")));
    };
    FakeScript::parse(name, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_story_can_be_read() {
        for (name, _) in STORIES {
            let script = story(name).unwrap_or_else(|error| panic!("{error}"));
            assert!(!script.about.is_empty(), "{name} does not say what it is for");
        }
        assert!(story("none").unwrap_err().to_string().contains("orchestrator"));
    }
}
