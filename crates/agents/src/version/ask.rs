//! Asking a program for its version: once for each file, bounded in time and output, beside all sessions.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use engine::{Engine, Kind, NewSession};

use super::ProgramVersion;
use crate::preset::PresetVersions;

/// Opencode takes seconds to start on a busy machine.
const MAX_TIME: Duration = Duration::from_secs(20);
/// Bytes of its output that are looked at.
const MAX_OUTPUT: usize = 4 << 10;
/// Programs that are remembered: more files than anybody has, of programs that are replaced again and again.
const MAX_KNOWN: usize = 256;

/// A program to be asked, with what it would be started with.
#[derive(Clone, Debug)]
pub struct VersionQuestion {
    pub program: PathBuf,
    pub versions: PresetVersions,
    pub env: Vec<(OsString, OsString)>,
    pub env_unset: Vec<OsString>,
    pub working_dir: PathBuf,
}

/// Why a program's version is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VersionSilence {
    #[error("it can't be started")]
    NotStarted,
    #[error("it did not end within {} s", .0.as_secs())]
    TimedOut(Duration),
    #[error("it printed no version")]
    NoVersion,
}

/// What programs said. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct ProgramVersions {
    known: Arc<Mutex<HashMap<FileIdentity, Option<ProgramVersion>>>>,
    /// One program at a time: several starts of one CLI ask once.
    asking: Arc<tokio::sync::Mutex<()>>,
}

/// A file as it is now: an update changes one of these.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct FileIdentity {
    path: PathBuf,
    inode: u64,
    size: u64,
    modified: Option<SystemTime>,
    arguments: Vec<String>,
}

impl ProgramVersions {
    /// The version of the program, or `None` where it does not tell one. `engine` lends its options: the program runs in an
    /// engine of its own, so that nobody sees it.
    pub async fn ask(&self, engine: &Engine, question: VersionQuestion) -> Option<ProgramVersion> {
        let identity = FileIdentity::of(&question)?;
        let _turn = self.asking.lock().await;
        if let Some(known) = self.known().get(&identity) {
            return known.clone();
        }
        let version = ask_once(engine, &question, MAX_TIME).await.ok();
        tracing::debug!(program = %question.program.display(), ?version, "a program was asked for its version");
        let mut known = self.known();
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(identity, version.clone());
        version
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<FileIdentity, Option<ProgramVersion>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FileIdentity {
    fn of(question: &VersionQuestion) -> Option<Self> {
        let path = question.program.canonicalize().ok()?;
        let metadata = path.metadata().ok()?;
        Some(FileIdentity {
            path,
            inode: metadata.ino(),
            size: metadata.len(),
            modified: metadata.modified().ok(),
            arguments: question.versions.ask.clone(),
        })
    }
}

/// Asks one program, for at most `patience`. Nothing of it is left afterwards.
pub async fn ask_once(
    engine: &Engine,
    question: &VersionQuestion,
    patience: Duration,
) -> Result<ProgramVersion, VersionSilence> {
    let aside = engine.aside();
    let argv = std::iter::once(question.program.clone().into_os_string());
    let argv: Vec<OsString> = argv.chain(question.versions.ask.iter().map(OsString::from)).collect();
    let started = aside
        .spawn(NewSession {
            env: question.env.clone(),
            env_unset: question.env_unset.clone(),
            working_dir: Some(question.working_dir.clone()),
            ..NewSession::new(Kind::Command, argv)
        })
        .await;
    let Ok(session) = started else { return Err(VersionSilence::NotStarted) };
    // Real time: a test's clock need not move for it.
    let ended = tokio::time::timeout(patience, session.wait_for_exit(Duration::MAX)).await.is_ok();
    let printed = session.plain(0, MAX_OUTPUT).text;
    aside.shutdown(Duration::ZERO).await;
    if !ended {
        return Err(VersionSilence::TimedOut(patience));
    }
    question.versions.find(&printed).ok_or(VersionSilence::NoVersion)
}

/// The file that a shell would run for `program`, by the folders of `path`.
pub fn find_program(program: &OsStr, working_dir: &Path, path: &OsStr) -> Option<PathBuf> {
    let runs =
        |file: &PathBuf| file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0);
    if program.as_encoded_bytes().contains(&b'/') {
        return Some(working_dir.join(program)).filter(runs);
    }
    std::env::split_paths(path).map(|folder| working_dir.join(folder).join(program)).find(runs)
}
