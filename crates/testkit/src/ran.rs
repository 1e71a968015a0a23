//! Runs a command to completion, and keeps its output.

use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// Runs the command with empty standard input.
#[track_caller]
pub fn run(command: &mut Command) -> FinishedCommand {
    FinishedCommand::of(
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command can be started"),
    )
}

#[derive(Debug)]
pub struct FinishedCommand {
    /// `None`: killed by a signal.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl FinishedCommand {
    /// Collects the result of a child with piped output.
    #[track_caller]
    pub fn of(child: Child) -> FinishedCommand {
        let output = child.wait_with_output().expect("a child can be waited for");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("our programs write UTF-8");
        FinishedCommand { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// Its output; panics if it failed.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "{self:?}");
        self.stdout
    }

    #[track_caller]
    pub fn json(self) -> Value {
        let text = self.ok();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text:?}"))
    }

    /// Asserts that it failed with this code, and that standard error contains all of these texts.
    #[track_caller]
    pub fn failed(self, code: i32, said: &[&str]) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        for part in said {
            assert!(self.stderr.contains(part), "{part:?} is not in {}", self.stderr);
        }
        self
    }
}
