//! `sessions/ID.raw`: every byte that a session printed. `ID.raw.timing.jsonl`: the times, in the format of `patterm
//! replay-state`, and the reports of an agent's hooks in between.

use std::{
    collections::HashMap,
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
    time::Instant,
};

use engine::{EngineEvent, Session, SessionId, Status, TapEvent, TapOptions};
use ops::Context;
use project::{Project, ProjectEvent};
use tokio::{
    sync::{
        broadcast::{Receiver, error::RecvError},
        watch,
    },
    task::JoinSet,
};

use super::files;

/// Bytes that may be queued for a slow disk.
const CAPACITY: usize = 16 << 20;

/// Runs until `stop` changes, and then until every session's last byte is written.
pub(super) async fn write(project: Project, folder: PathBuf, mut stop: watch::Receiver<()>) {
    if let Err(error) = files::private_folder(&folder) {
        tracing::warn!(%error, "session output is not recorded");
        return;
    }
    let engine = project.engine().clone();
    let (mut events, hooks) = (engine.events(), project.events());
    drop(project);
    let began = engine.clock().now();
    let mut written: HashMap<SessionId, u64> = HashMap::new();
    let mut captures: JoinSet<(SessionId, u64)> = JoinSet::new();
    loop {
        tokio::select! {
            event = events.recv() => match event {
                Ok(EngineEvent::Status(id, Status::Running)) => {
                    let Ok(session) = engine.get(id) else { continue };
                    let from = written.get(&id).copied().unwrap_or(0);
                    let file = folder.join(format!("{id}.raw"));
                    let hooks = hooks.resubscribe();
                    captures.spawn(async move { (id, capture(&session, hooks, from, &file, began).await) });
                }
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => break,
            },
            Some(Ok((id, until))) = captures.join_next() => {
                written.insert(id, until);
            }
            _ = stop.changed() => break,
        }
    }
    while captures.join_next().await.is_some() {}
}

/// Records one run of a session from offset `from`, and returns the offset reached. Times count from `began`.
async fn capture(session: &Session, hooks: Receiver<ProjectEvent>, from: u64, file: &Path, began: Instant) -> u64 {
    let mut offset = from;
    if let Err(error) = copy(session, hooks, file, began, &mut offset).await {
        tracing::warn!(session = %session.id(), %error, "the session's output is no longer recorded");
    }
    offset
}

/// The files of one session.
struct SessionCapture {
    bytes: File,
    times: File,
    /// Bytes in the file so far.
    length: u64,
    began: Instant,
}

impl SessionCapture {
    fn open(file: &Path, began: Instant) -> io::Result<Self> {
        let bytes = files::append(file)?;
        let length = bytes.metadata()?.len();
        let mut times = file.as_os_str().to_owned();
        times.push(".timing.jsonl");
        Ok(SessionCapture { bytes, times: files::append(Path::new(&times))?, length, began })
    }

    fn write(&mut self, bytes: &[u8], at: Instant) -> io::Result<()> {
        self.bytes.write_all(bytes)?;
        let line = serde_json::json!({ "t": self.seconds(at), "off": self.length, "n": bytes.len() });
        self.length += bytes.len() as u64;
        self.times.write_all(format!("{line}\n").as_bytes())
    }

    fn note_hook(&mut self, name: &str, detail: &str, at: Instant) -> io::Result<()> {
        let line = serde_json::json!({ "t": self.seconds(at), "off": self.length, "hook": name, "detail": detail });
        self.times.write_all(format!("{line}\n").as_bytes())
    }

    fn seconds(&self, at: Instant) -> f64 {
        at.saturating_duration_since(self.began).as_millis() as f64 / 1000.0
    }
}

async fn copy(
    session: &Session,
    mut hooks: Receiver<ProjectEvent>,
    file: &Path,
    began: Instant,
    offset: &mut u64,
) -> io::Result<()> {
    let mut record = SessionCapture::open(file, began)?;
    let tap = session.tap(TapOptions { input: false, capacity: CAPACITY });
    let until = tap.as_ref().map_or(u64::MAX, |tap| tap.start.offset);
    // What was printed before the tap was set up, as far as the ring still holds it: for a short run, everything.
    catch_up(session, &mut record, offset, until)?;
    let Ok(mut tap) = tap else { return Ok(()) };
    loop {
        let event = tokio::select! {
            event = tap.next() => event,
            Ok(event) = hooks.recv() => {
                if let ProjectEvent::HookReported { session: of, name, detail } = event
                    && of == session.id()
                {
                    record.note_hook(&name, &detail, session.clock().now())?;
                }
                continue;
            }
        };
        let Some(event) = event else { return Ok(()) };
        match event {
            TapEvent::Output { bytes, at } => {
                record.write(&bytes, at)?;
                *offset += bytes.len() as u64;
            }
            TapEvent::Gap { dropped_bytes, .. } => {
                tracing::warn!(session = %session.id(), dropped_bytes, "the disk was too slow for the session's output");
                *offset += dropped_bytes;
            }
            TapEvent::Input { .. } | TapEvent::Resize { .. } | TapEvent::Exit { .. } => {}
        }
    }
}

fn catch_up(session: &Session, record: &mut SessionCapture, offset: &mut u64, until: u64) -> io::Result<()> {
    while *offset < until {
        let room = usize::try_from(until - *offset).unwrap_or(usize::MAX).min(1 << 20);
        let raw = session.raw(*offset, room);
        if raw.bytes.is_empty() {
            break;
        }
        record.write(&raw.bytes, session.clock().now())?;
        *offset = raw.offset + raw.bytes.len() as u64;
    }
    Ok(())
}
