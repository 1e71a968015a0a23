//! A command that is run to its end, and what it left.

use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// Runs the command with nothing to read.
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
    /// None: a signal ended it.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl FinishedCommand {
    /// What a child whose output is piped leaves at its end.
    #[track_caller]
    pub fn of(child: Child) -> FinishedCommand {
        let output = child.wait_with_output().expect("a child can be waited for");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("our programs write UTF-8");
        FinishedCommand { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// What it wrote, if it succeeded.
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

    /// Failed with this code, and said all of this on standard error.
    #[track_caller]
    pub fn failed(self, code: i32, said: &[&str]) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        for part in said {
            assert!(self.stderr.contains(part), "{part:?} is not in {}", self.stderr);
        }
        self
    }
}
