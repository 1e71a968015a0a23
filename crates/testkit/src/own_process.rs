//! Runs a test in a process of its own: for tests that count open descriptors, change signal dispositions, or get
//! killed. They run the test binary again for a single test.

use std::{
    io::{BufRead, BufReader},
    process::{ChildStdout, Command, ExitStatus, Stdio},
    time::Duration,
};

use crate::{ended::TestChild, ran::FinishedCommand};

/// Set in the second process. Only the test binary that set it reads it.
const ROLE: &str = "TESTKIT_SECOND_ROLE";

/// Runs `body` in a process of its own, in which no other test runs. `name` is the test's own full
/// name, as the test runner prints it: the second process runs exactly that test, whose call of
/// this function then runs the body.
///
/// ```text
/// #[test]
/// fn nothing_leaks() {
///     testkit::in_own_process("leaks::nothing_leaks", || { … });
/// }
/// ```
#[track_caller]
pub fn in_own_process(name: &str, body: impl FnOnce()) {
    if std::env::var_os(ROLE).is_some() {
        body();
        return;
    }
    let mut command = again(name);
    let second = TestChild::start_for(LIMIT, command.stdout(Stdio::piped()).stderr(Stdio::piped()));
    let ran = FinishedCommand::of(second);
    let passed = ran.code == Some(0) && ran.stdout.contains("1 passed");
    let FinishedCommand { code, stdout, stderr } = ran;
    assert!(passed, "{name} in its own process (limit {LIMIT:?}): code {code:?}\n{stdout}{stderr}");
}

/// Time limit of a whole test, including slow ones.
const LIMIT: Duration = Duration::from_secs(600);

/// A second process that plays a role in a test, such as the host that gets killed.
#[derive(Debug)]
pub struct SecondRole {
    process: TestChild,
    lines: BufReader<ChildStdout>,
}

/// In the second process: plays `role`, which reports by printing lines, and ends the process. In
/// the first: starts the second for the test called `name` and returns it.
#[track_caller]
pub fn play_second_role(name: &str, role: impl FnOnce()) -> SecondRole {
    if std::env::var_os(ROLE).is_some() {
        role();
        std::process::exit(0);
    }
    let mut process = TestChild::start(again(name).stdout(Stdio::piped()));
    let lines = BufReader::new(process.stdout.take().expect("piped above"));
    SecondRole { process, lines }
}

impl SecondRole {
    /// The rest of the next line that contains `marker`. Panics if the role ends without one.
    #[track_caller]
    pub fn line_after(&mut self, marker: &str) -> String {
        let mut line = String::new();
        loop {
            line.clear();
            let count = self.lines.read_line(&mut line).expect("a test prints text");
            assert!(count > 0, "the second process ended without saying {marker:?}");
            // The test runner's own output may precede it on the line.
            if let Some((_, rest)) = line.split_once(marker) {
                return rest.trim().to_owned();
            }
        }
    }

    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Kills it with `SIGKILL`, which it can't handle, and reaps it.
    pub fn kill(mut self) -> ExitStatus {
        self.process.kill().expect("it runs");
        self.process.wait().expect("it is our child")
    }
}

impl Drop for SecondRole {
    fn drop(&mut self) {
        // Killed without asking first: a role may ignore signals. Fails only if it has ended already.
        let _ = self.process.kill();
    }
}

fn again(name: &str) -> Command {
    let binary = std::env::current_exe().expect("a running test has a path");
    let mut command = Command::new(binary);
    command.args(["--exact", name, "--include-ignored", "--nocapture", "--test-threads=1"]).env(ROLE, "1");
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_runs_elsewhere() {
        let mut ran_here = false;
        in_own_process("own_process::tests::the_body_runs_elsewhere", || ran_here = true);
        let second = std::env::var_os(ROLE).is_some();
        assert_eq!(ran_here, second, "the body belongs to the second process only");
    }

    #[test]
    #[should_panic(expected = "in its own process")]
    fn a_failing_body_fails_the_test() {
        in_own_process("own_process::tests::a_failing_body_fails_the_test", || std::process::exit(3));
    }

    #[test]
    #[should_panic(expected = "in its own process")]
    fn a_wrong_name_fails_the_test() {
        in_own_process("own_process::tests::no_such_test", || {});
    }

    #[test]
    fn a_second_role_reports_and_is_killed() {
        let mut second = play_second_role("own_process::tests::a_second_role_reports_and_is_killed", || {
            println!("role pid {}", std::process::id());
            loop {
                std::thread::park();
            }
        });
        assert_eq!(second.line_after("role pid"), second.pid().to_string());
        let status = second.kill();
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(9));
    }
}
