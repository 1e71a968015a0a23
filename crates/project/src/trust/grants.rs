//! trust.json: what the human has permanently allowed in one project.
//!
//! Several processes may read and change it: changes are serialised by the folder's lock and replace the file
//! atomically, and a reader reads it again whenever the file's identity changed. An unreadable file grants nothing.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
};

use serde::{Deserialize, Serialize};

use super::{Subject, SubjectKind};
use crate::{
    file_lock_turn::FileLockTurn,
    folder::{FileFacts, FolderError, ProjectFolder},
    project::lock,
};

/// One preset with one content, permanently allowed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    pub kind: SubjectKind,
    /// Its name, or a program's.
    pub preset: String,
    /// The hash of the content, or of what a program is allowed by.
    pub hash: String,
    /// What was allowed, to show later what changed. Contains no values of variables, only their hashes.
    pub content: String,
    /// RFC 3339.
    pub granted_at: String,
}

/// The form on disk.
#[derive(Debug, Serialize, Deserialize)]
struct GrantsDocument {
    version: u32,
    grants: Vec<Grant>,
}

const VERSION: u32 = 1;
const NAME: &str = "trust.json";
const MAX_BYTES: usize = 16 << 20;
/// Contents of one preset that stay allowed: enough for switching between branches.
const KEPT_PER_PRESET: usize = 8;

#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    #[error("trust.json can't be used ({reason}), so nothing is trusted: mend it, or remove it and grant anew")]
    Unusable { reason: String },
    #[error("the disk is full, trust.json is as it was: make room and try again")]
    NoSpace,
    #[error("another process holds the lock of trust.json for {seconds} s, nothing was changed: try again")]
    Locked { seconds: u64 },
    #[error(
        "trust.json can't be reached ({source}), nothing was changed: check the project folder's permissions and free space"
    )]
    Io { source: std::io::Error },
    #[error("there is no question '{id}' any more: list those that wait")]
    NoQuestion { id: String },
}

impl From<FolderError> for TrustError {
    fn from(error: FolderError) -> Self {
        match error {
            FolderError::NoSpace => TrustError::NoSpace,
            FolderError::Io(source) => TrustError::Io { source },
            other => TrustError::Unusable { reason: other.to_string() },
        }
    }
}

type Result<T> = std::result::Result<T, TrustError>;

/// Functions here may block on the disk, and changes also on the lock.
#[derive(Debug)]
pub struct Grants {
    folder: PathBuf,
    /// What was read last, and the identity of its file.
    read: Mutex<Option<(FileFacts, Arc<Vec<Grant>>)>>,
}

impl Grants {
    /// The grants of the project with this folder.
    pub fn new(folder: PathBuf) -> Self {
        Grants { folder, read: Mutex::default() }
    }

    pub(crate) fn folder(&self) -> &std::path::Path {
        &self.folder
    }

    pub(crate) fn is_file(name: &std::ffi::OsStr) -> bool {
        name == NAME
    }

    /// Oldest first.
    pub fn all(&self) -> Result<Arc<Vec<Grant>>> {
        let folder = match ProjectFolder::open(&self.folder) {
            Err(FolderError::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Arc::default()),
            folder => folder?,
        };
        self.all_in(&folder)
    }

    fn all_in(&self, folder: &ProjectFolder) -> Result<Arc<Vec<Grant>>> {
        let Some(facts) = folder.facts(NAME)? else { return Ok(Arc::default()) };
        if let Some((known, grants)) = &*lock(&self.read)
            && *known == facts
        {
            return Ok(grants.clone());
        }
        let Some((facts, bytes)) = folder.read(NAME, MAX_BYTES)? else { return Ok(Arc::default()) };
        let unusable = |reason: String| TrustError::Unusable { reason };
        let document: GrantsDocument = serde_json::from_slice(&bytes).map_err(|error| unusable(error.to_string()))?;
        if document.version != VERSION {
            return Err(unusable(format!("it is of version {}, and this patterm knows {VERSION}", document.version)));
        }
        let grants = Arc::new(document.grants);
        *lock(&self.read) = Some((facts, grants.clone()));
        Ok(grants)
    }

    pub fn holds(&self, kind: SubjectKind, preset: &str, hash: &str) -> Result<bool> {
        Ok(self.all()?.iter().any(|grant| grant.kind == kind && grant.preset == preset && grant.hash == hash))
    }

    /// The content of this preset that was allowed last.
    pub fn latest(&self, kind: SubjectKind, preset: &str) -> Result<Option<Grant>> {
        Ok(self.all()?.iter().rfind(|grant| grant.kind == kind && grant.preset == preset).cloned())
    }

    pub fn grant(&self, turn: &FileLockTurn, subject: &Subject, at: std::time::SystemTime) -> Result<()> {
        let new = Grant {
            kind: subject.kind,
            preset: subject.name.clone(),
            hash: subject.standing.clone(),
            content: subject.content.clone(),
            granted_at: ops::rfc3339(at),
        };
        self.change(turn, |grants| {
            let same = |grant: &Grant| grant.kind == new.kind && grant.preset == new.preset;
            grants.retain(|grant| !(same(grant) && grant.hash == new.hash));
            let mut surplus = (grants.iter().filter(|grant| same(grant)).count() + 1).saturating_sub(KEPT_PER_PRESET);
            grants.retain(|grant| {
                let goes = surplus > 0 && same(grant);
                surplus -= usize::from(goes);
                !goes
            });
            grants.push(new);
        })
    }

    /// Revokes every content of this preset; returns how many there were.
    pub fn revoke(&self, turn: &FileLockTurn, kind: Option<SubjectKind>, preset: &str) -> Result<usize> {
        let mut taken = 0;
        self.change(turn, |grants| {
            let before = grants.len();
            grants.retain(|grant| grant.preset != preset || kind.is_some_and(|kind| grant.kind != kind));
            taken = before - grants.len();
        })?;
        Ok(taken)
    }

    fn change(&self, turn: &FileLockTurn, change: impl FnOnce(&mut Vec<Grant>)) -> Result<()> {
        let folder = ProjectFolder::make(&self.folder)?;
        let held = folder.lock()?;
        turn.begin().map_err(|_| super::given_up())?;
        // An unreadable file is not overwritten: it may be a newer patterm's.
        let old = self.all_in(&folder)?;
        let mut grants = Vec::clone(&old);
        change(&mut grants);
        grants.iter_mut().for_each(forget_values);
        if *old == grants {
            return Ok(());
        }
        let document = GrantsDocument { version: VERSION, grants };
        let mut bytes = serde_json::to_vec_pretty(&document).expect("grants are plain JSON");
        bytes.push(b'\n');
        Ok(folder.replace(NAME, &bytes, &held)?)
    }
}

/// An earlier patterm stored values of variables.
fn forget_values(grant: &mut Grant) {
    if let Some(content) = agents::preset::PresetContent::from_canonical(&grant.content) {
        grant.content = content.without_values().canonical();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    fn subject(name: &str, content: &str) -> Subject {
        Subject::for_test(SubjectKind::Command, name, content)
    }

    fn now() -> FileLockTurn {
        FileLockTurn::default()
    }

    #[test]
    fn a_grant_is_for_one_preset_with_one_content_and_survives() {
        let root = tempfile::tempdir().unwrap();
        let grants = Grants::new(root.path().join("p"));
        let dev = subject("dev", "one");
        assert!(!grants.holds(SubjectKind::Command, "dev", &dev.hash).unwrap());
        grants.grant(&now(), &dev, SystemTime::now()).unwrap();
        let again = Grants::new(root.path().join("p"));
        assert!(again.holds(SubjectKind::Command, "dev", &dev.hash).unwrap());
        assert!(!again.holds(SubjectKind::Agent, "dev", &dev.hash).unwrap());
        assert!(!again.holds(SubjectKind::Command, "test", &dev.hash).unwrap());
        assert!(!again.holds(SubjectKind::Command, "dev", &subject("dev", "two").hash).unwrap());
        assert_eq!(again.latest(SubjectKind::Command, "dev").unwrap().unwrap().content, dev.content);
        // Another process revokes it: the first one notices.
        assert_eq!(again.revoke(&now(), None, "dev").unwrap(), 1);
        assert!(!grants.holds(SubjectKind::Command, "dev", &dev.hash).unwrap());
        assert_eq!(again.revoke(&now(), Some(SubjectKind::Command), "dev").unwrap(), 0);
    }

    #[test]
    fn the_oldest_contents_of_a_preset_are_forgotten() {
        let root = tempfile::tempdir().unwrap();
        let grants = Grants::new(root.path().to_owned());
        grants.grant(&now(), &subject("other", "x"), SystemTime::now()).unwrap();
        for number in 0..KEPT_PER_PRESET + 3 {
            grants.grant(&now(), &subject("dev", &number.to_string()), SystemTime::now()).unwrap();
        }
        let all = grants.all().unwrap();
        let contents: Vec<&str> =
            all.iter().filter(|grant| grant.preset == "dev").map(|grant| grant.content.as_str()).collect();
        let kept = (3..KEPT_PER_PRESET + 3).map(|number| subject("dev", &number.to_string()).content);
        assert_eq!(contents, kept.collect::<Vec<_>>());
        assert!(grants.holds(SubjectKind::Command, "other", &subject("other", "x").hash).unwrap());
    }

    #[test]
    fn values_that_an_earlier_patterm_kept_go_with_the_next_change() {
        let root = tempfile::tempdir().unwrap();
        let grants = Grants::new(root.path().to_owned());
        grants.grant(&now(), &subject("dev", "one"), SystemTime::now()).unwrap();
        let file = root.path().join(NAME);
        let old =
            std::fs::read_to_string(&file).unwrap().replace(r#"{\"name\":\"one\"}"#, r#"{\"env\":{\"A\":\"hush\"}}"#);
        assert!(old.contains("hush"), "{old}");
        std::fs::write(&file, old).unwrap();
        grants.grant(&now(), &subject("test", "two"), SystemTime::now()).unwrap();
        let new = std::fs::read_to_string(&file).unwrap();
        assert!(!new.contains("hush") && new.contains("sha256") && new.contains("dev"), "{new}");
    }

    #[test]
    fn a_file_that_cannot_be_read_grants_nothing_and_stays() {
        let root = tempfile::tempdir().unwrap();
        let grants = Grants::new(root.path().to_owned());
        let file = root.path().join(NAME);
        for text in ["{", "{\"version\": 2, \"grants\": []}", "[]", "{\"version\":1,\"grants\":[{\"kind\":\"x\"}]}"] {
            std::fs::write(&file, text).unwrap();
            assert!(matches!(grants.all(), Err(TrustError::Unusable { .. })), "{text}");
            let granted = grants.grant(&now(), &subject("dev", "one"), SystemTime::now());
            assert!(matches!(granted, Err(TrustError::Unusable { .. })), "{text}");
            assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
        }
        std::fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", &file).unwrap();
        assert!(matches!(grants.all(), Err(TrustError::Unusable { .. })));
    }
}
