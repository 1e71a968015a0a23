//! The list of a running coordinator's sessions, kept in a file for its successor. An orderly end removes the file, so
//! an existing one means that its coordinator was killed, and lists what was lost.
//!
//! The file is written outside of all calls, and at most five times a second. It contains no programs, arguments or
//! environments.

use std::{
    collections::{HashMap, hash_map::Entry},
    fs::OpenOptions,
    io::{self, Read, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    time::Duration,
};

use engine::{Engine, EngineEvent, SessionId, process_table};
use ops::{Context, RecordingEvent, SessionContext};
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};
use tokio::sync::{broadcast::Receiver, oneshot};

use super::folder;

/// The debounce interval: at most five writes a second.
const TOGETHER: Duration = Duration::from_millis(200);
/// Room for twice 1,024 sessions with long names and recordings.
const MOST_BYTES: u64 = 2 << 20;
/// How many characters of a time or a path are kept.
const MOST_TEXT: usize = 512;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SessionRoll {
    pub(crate) pid: u32,
    /// Process ids mean nothing after a reboot.
    pub(crate) boot: String,
    pub(crate) written_at: String,
    pub(crate) sessions: Vec<RollEntry>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RollEntry {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) running: bool,
    pub(crate) pid: Option<i32>,
    /// In a unit of the system's: the same process id with another start time is another process.
    pub(crate) pid_started: Option<u64>,
    pub(crate) recording: Option<String>,
}

/// Reads the previous coordinator's file, if there is one. Its content is only ever shown as text.
pub(crate) fn read(file: &Path) -> io::Result<Option<SessionRoll>> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let opened = match OpenOptions::new().read(true).custom_flags(flags).open(file) {
        Ok(opened) => opened,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let found = opened.metadata()?;
    if !found.is_file() || found.len() > MOST_BYTES || found.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::other("it is none of ours"));
    }
    let mut text = String::new();
    opened.take(MOST_BYTES).read_to_string(&mut text)?;
    let roll: SessionRoll = serde_json::from_str(&text)?;
    Ok(Some(roll.checked()))
}

impl SessionRoll {
    /// Drops entries that no coordinator would have written, and cleans texts so that they can be shown.
    fn checked(mut self) -> Self {
        self.sessions.retain(|entry| {
            entry.id.parse::<SessionId>().is_ok() && engine::SessionName::new(entry.name.clone()).is_ok()
        });
        self.written_at = shown(&self.written_at);
        for entry in &mut self.sessions {
            entry.recording = entry.recording.take().map(|file| shown(&file));
        }
        self
    }
}

fn shown(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(MOST_TEXT).collect()
}

/// Keeps the file current while the coordinator runs.
#[derive(Debug)]
pub(crate) struct RollKeeper {
    file: PathBuf,
    context: SessionContext,
    changes: Receiver<EngineEvent>,
    recordings: Receiver<RecordingEvent>,
    /// When each process was started, looked up once.
    started: HashMap<i32, u64>,
}

impl RollKeeper {
    pub(crate) fn new(file: &Path, context: &SessionContext) -> Self {
        let (changes, recordings) = (context.engine().events(), context.recordings().events());
        RollKeeper { file: file.into(), context: context.clone(), changes, recordings, started: HashMap::new() }
    }

    /// Runs until `ended` is sent or dropped: both mean an orderly end, and the file is removed.
    pub(crate) async fn keep(mut self, mut ended: oneshot::Receiver<()>) {
        let mut told = false;
        loop {
            tokio::select! {
                biased;
                _ = &mut ended => break,
                () = self.changed() => {}
            }
            tokio::select! {
                biased;
                _ = &mut ended => break,
                () = tokio::time::sleep(TOGETHER) => {}
            }
            while self.changes.try_recv().is_ok() || self.recordings.try_recv().is_ok() {}
            let roll = self.roll();
            let file = self.file.clone();
            let written = tokio::task::spawn_blocking(move || write(&file, &roll)).await;
            if let Ok(Err(error)) = written
                && !told
            {
                told = true;
                let file = self.file.display();
                tracing::warn!(%error, %file, "the list of sessions can't be written, and would be missing after a crash");
            }
        }
        if let Err(error) = remove(&self.file) {
            tracing::warn!(%error, file = %self.file.display(), "the list of sessions can't be removed");
        }
    }

    /// A lag counts as a change.
    async fn changed(&mut self) {
        tokio::select! {
            _ = self.changes.recv() => {}
            _ = self.recordings.recv() => {}
        }
    }

    fn roll(&mut self) -> SessionRoll {
        let recordings = self.context.recordings().under_way();
        let sessions: Vec<RollEntry> = entries(self.context.engine(), &recordings, &mut self.started);
        self.started.retain(|pid, _| sessions.iter().any(|entry| entry.pid == Some(*pid)));
        SessionRoll {
            pid: std::process::id(),
            boot: process_table::boot_id(),
            written_at: ops::rfc3339(std::time::SystemTime::now()),
            sessions,
        }
    }
}

fn entries(
    engine: &Engine,
    recordings: &HashMap<SessionId, String>,
    started: &mut HashMap<i32, u64>,
) -> Vec<RollEntry> {
    let entry = |session: engine::Session| {
        let info = session.info();
        let pid = info.pid.map(|pid| pid.as_raw());
        let pid_started = pid.and_then(|pid| {
            Some(match started.entry(pid) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(free) => *free.insert(process_table::look(pid)?.started),
            })
        });
        RollEntry {
            id: info.id.to_string(),
            name: info.name.map(|name| name.to_string()).unwrap_or_default(),
            running: !info.status.has_ended(),
            pid,
            pid_started,
            recording: recordings.get(&info.id).cloned(),
        }
    };
    engine.list().into_iter().map(entry).collect()
}

/// Atomic. A coordinator without sessions has nothing to lose, so it has no file.
fn write(file: &Path, roll: &SessionRoll) -> io::Result<()> {
    if roll.sessions.is_empty() {
        return remove(file);
    }
    if let Some(folder) = file.parent() {
        folder::create_private(folder)?;
    }
    let beside = file.with_extension("sessions.new");
    remove(&beside)?;
    let mut new = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
    let written = new.write_all(serde_json::to_string(roll)?.as_bytes()).and_then(|()| std::fs::rename(&beside, file));
    if written.is_err() {
        let _ = remove(&beside);
    }
    written
}

fn remove(file: &Path) -> io::Result<()> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: &str, name: &str) -> RollEntry {
        RollEntry { id: id.into(), name: name.into(), ..RollEntry::default() }
    }

    #[test]
    fn what_is_written_is_read_and_an_empty_one_is_no_file() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("state/a.sessions");
        assert_eq!(read(&file).unwrap(), None);
        let roll = SessionRoll { pid: 7, sessions: vec![entry("p_0a0b0c", "work")], ..SessionRoll::default() };
        write(&file, &roll).unwrap();
        assert_eq!(file.metadata().unwrap().mode() & 0o777, 0o600);
        assert_eq!(read(&file).unwrap(), Some(roll));
        write(&file, &SessionRoll::default()).unwrap();
        assert_eq!(std::fs::read_dir(file.parent().unwrap()).unwrap().count(), 0);
    }

    #[test]
    fn a_file_of_another_making_is_never_more_than_text() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("a.sessions");
        let mut evil = entry("p_0a0b0c", "work");
        evil.recording = Some("\x1b]0;x\x07".repeat(1000));
        let roll =
            SessionRoll { sessions: vec![evil, entry("p_0a0b0c", "a\nb"), entry("x", "y")], ..SessionRoll::default() };
        std::fs::write(&file, serde_json::to_string(&roll).unwrap()).unwrap();
        let read_back = read(&file).unwrap().unwrap();
        assert_eq!(read_back.sessions.len(), 1);
        let recording = read_back.sessions[0].recording.as_ref().unwrap();
        assert!(recording.len() <= MOST_TEXT && !recording.contains('\x1b'), "{recording:?}");
        for nonsense in ["", "null", "[1", "{\"pid\":-1}"] {
            std::fs::write(&file, nonsense).unwrap();
            assert!(read(&file).is_err(), "{nonsense}");
        }
        std::fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
        assert!(read(&file).is_err());
    }
}
