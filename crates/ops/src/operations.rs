//! The operations on sessions, one file each. A program's table is these and its own.

use std::{collections::BTreeMap, future::Future, time::Duration};

use engine::Session;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Call, Context, Entry, OpError, ProcessLife, StartRequest};

pub mod close_process;
pub mod get_process_output;
pub mod get_process_ports;
pub mod get_process_raw_output;
pub mod get_process_status;
pub mod get_screen;
pub mod help;
pub mod kill_process;
pub mod list_processes;
pub mod record_process;
pub mod rename_process;
pub mod resize_process;
pub mod restart_process;
pub mod search_output;
pub mod send_input;
pub mod spawn_process;
pub mod start_process;
pub mod stop_process;
pub mod wait_for_idle;
pub mod wait_for_pattern;
pub mod whoami;

pub use close_process::CloseProcess;
pub use get_process_output::GetProcessOutput;
pub use get_process_ports::GetProcessPorts;
pub use get_process_raw_output::GetProcessRawOutput;
pub use get_process_status::GetProcessStatus;
pub use get_screen::GetScreen;
pub use help::Help;
pub use kill_process::KillProcess;
pub use list_processes::ListProcesses;
pub use record_process::RecordProcess;
pub use rename_process::RenameProcess;
pub use resize_process::ResizeProcess;
pub use restart_process::RestartProcess;
pub use search_output::SearchOutput;
pub use send_input::SendInput;
pub use spawn_process::SpawnProcess;
pub use start_process::StartProcess;
pub use stop_process::StopProcess;
pub use wait_for_idle::WaitForIdle;
pub use wait_for_pattern::WaitForPattern;
pub use whoami::Whoami;

/// The entries of the session operations, which every program's table has.
pub fn entries<C: Context>() -> Vec<Entry<C>> {
    vec![
        Entry::of::<SpawnProcess>(),
        Entry::of::<StartProcess>(),
        Entry::of::<RestartProcess>(),
        Entry::of::<StopProcess>(),
        Entry::of::<KillProcess>(),
        Entry::of::<CloseProcess>(),
        Entry::of::<RenameProcess>(),
        Entry::of::<ResizeProcess>(),
        Entry::of::<ListProcesses>(),
        Entry::of::<GetProcessStatus>(),
        Entry::of::<GetProcessOutput>(),
        Entry::of::<GetProcessRawOutput>(),
        Entry::of::<GetScreen>(),
        Entry::of::<SearchOutput>(),
        Entry::of::<GetProcessPorts>(),
        Entry::of::<WaitForPattern>(),
        Entry::of::<WaitForIdle>(),
        Entry::of::<SendInput>(),
        Entry::of::<RecordProcess>(),
        Entry::of::<Whoami>(),
        Entry::of::<Help>(),
    ]
}

/// Where a session stands after an operation that starts or ends its program.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LifecycleReply {
    pub process_id: String,
    pub status: ProcessLife,
}

impl LifecycleReply {
    fn of(session: &Session) -> Self {
        LifecycleReply { process_id: session.id().to_string(), status: session.status().into() }
    }
}

/// Asks for trust before a session's command runs again.
fn authorise_again<C: Context>(call: &Call<C>, session: &Session) -> Result<(), OpError> {
    let argv: Vec<String> = session.info().argv.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    call.host().authorise_start(&StartRequest {
        caller: &call.caller,
        kind: session.kind(),
        preset: None,
        argv: &argv,
        env: &BTreeMap::new(),
        working_dir: None,
        session: Some(session),
    })
}

/// Validates a requested size: an impossible one is refused, not adjusted.
fn checked_size(size: vt::Size) -> Result<vt::Size, OpError> {
    if size == size.clamped() {
        return Ok(size);
    }
    let (least, most) = (vt::Size::MIN, vt::Size::MAX);
    let message = format!("a terminal can't have {} columns and {} rows", size.cols, size.rows);
    let hint = format!("use {} to {} columns and {} to {} rows", least.cols, most.cols, least.rows, most.rows);
    Err(OpError::invalid_args(message).with_hint(hint))
}

/// Maximum bytes of text in a reply, so that it fits into a message of 16 MiB with the rest.
pub const MAX_REPLY_BYTES: usize = 12 << 20;

const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);
/// Clients give up on a silent call after some minutes; a caller that needs longer waits again.
const MAX_TIMEOUT: Duration = Duration::from_secs(600);

/// The time limit of a wait; 30 seconds if omitted.
pub fn timeout(seconds: Option<f64>) -> Result<Duration, OpError> {
    let Some(seconds) = seconds else { return Ok(DEFAULT_TIMEOUT) };
    match Duration::try_from_secs_f64(seconds) {
        Ok(timeout) if timeout <= MAX_TIMEOUT => Ok(timeout),
        _ => Err(OpError::invalid_args(format!("a wait can't last {seconds} s"))
            .with_hint(format!("use 0 to {} s, and wait again if need be", MAX_TIMEOUT.as_secs()))),
    }
}

/// Interval of progress reports during a long wait.
const PROGRESS_EVERY: Duration = Duration::from_secs(10);

/// Runs a wait, and reports progress while it lasts.
pub async fn with_progress<C, T>(call: &Call<C>, waiting: &str, wait: impl Future<Output = T>) -> T {
    if !call.progress.is_heard() {
        return wait.await;
    }
    tokio::pin!(wait);
    let started = tokio::time::Instant::now();
    loop {
        tokio::select! {
            done = &mut wait => return done,
            () = tokio::time::sleep(PROGRESS_EVERY) => {
                call.progress.tell(&format!("{waiting}, {} s so far", started.elapsed().as_secs()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_taken_as_they_are_or_refused() {
        for (cols, rows) in [(2, 1), (80, 24), (2000, 1000)] {
            assert_eq!(checked_size(vt::Size { cols, rows }), Ok(vt::Size { cols, rows }));
        }
        for (cols, rows) in [(1, 1), (80, 0), (2001, 24), (80, 1001)] {
            let refused = checked_size(vt::Size { cols, rows }).unwrap_err();
            assert_eq!(refused.hint, "use 2 to 2000 columns and 1 to 1000 rows", "{cols}x{rows}");
        }
    }

    #[test]
    fn timeouts_have_a_default_and_a_limit() {
        assert_eq!(timeout(None), Ok(Duration::from_secs(30)));
        assert_eq!(timeout(Some(0.25)), Ok(Duration::from_millis(250)));
        assert_eq!(timeout(Some(600.0)), Ok(MAX_TIMEOUT));
        for wrong in [600.5, -1.0, f64::NAN, f64::INFINITY, 1e300] {
            assert_eq!(timeout(Some(wrong)).unwrap_err().kind, crate::ErrorKind::InvalidArgs, "{wrong}");
        }
    }
}
