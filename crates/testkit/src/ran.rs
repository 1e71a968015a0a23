//! Runs a command to completion, and keeps its output.

use std::{
    io::Read,
    process::{Command, Stdio},
    thread::JoinHandle,
};

use serde_json::Value;

use crate::ended::TestChild;

/// Runs the command with empty standard input.
#[track_caller]
pub fn run(command: &mut Command) -> FinishedCommand {
    FinishedCommand::of(TestChild::start(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped())))
}

#[derive(Debug)]
pub struct FinishedCommand {
    /// `None`: killed by a signal.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl FinishedCommand {
    /// Collects the result of a child, which ends at its time limit at the latest. Streams that are not piped count as
    /// empty.
    /// empty.
    #[track_caller]
    pub fn of(mut child: TestChild) -> FinishedCommand {
        drop(child.stdin.take());
        let stdout = child.stdout.take().map(read_aside);
        let stderr = child.stderr.take().map(read_aside);
        let status = child.wait().expect("a child can be waited for");
        let text = |reader: Option<JoinHandle<Vec<u8>>>| {
            let bytes = reader.map_or_else(Vec::new, |reader| reader.join().expect("reading doesn't panic"));
            String::from_utf8(bytes).expect("our programs write UTF-8")
        };
        FinishedCommand { code: status.code(), stdout: text(stdout), stderr: text(stderr) }
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

/// Reads to the end on another thread, so that a full pipe never blocks the writer.
fn read_aside(mut from: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // A part is better than nothing in a report.
        let _ = from.read_to_end(&mut bytes);
        bytes
    })
}
