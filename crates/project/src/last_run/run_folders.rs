//! `runs/` in the project's folder: one folder for each recorded run. A run holds the lock of its own for as long as it
//! goes on, and of the one that it may open again; the system releases both with the process, however it ends.

use std::{fs, path::PathBuf, time::SystemTime};

use super::record::{MAX_RECORD_BYTES, ParsedRecord, RunRecord};
use crate::{
    folder::{FolderError, FolderLock, ProjectFolder},
    project::random_id,
};

const RECORD: &str = "tabs.json";
/// Names of the folders.
const PREFIX: &str = "r_";
/// Records of ended runs that are kept. Two are of use when two runs were open at once; the rest is for accidents.
const MAX_ENDED: usize = 8;

/// All of them. Functions here may block on the disk and on the lock.
#[derive(Clone, Debug)]
pub(super) struct RunFolders {
    path: PathBuf,
}

/// The folder of a run, held by this process.
#[derive(Debug)]
pub(super) struct HeldRun {
    path: PathBuf,
    folder: ProjectFolder,
    lock: FolderLock,
}

impl RunFolders {
    pub(super) fn new(path: PathBuf) -> Self {
        RunFolders { path }
    }

    /// A new one, for a run that goes on.
    pub(super) fn create(&self) -> Result<HeldRun, FolderError> {
        // Nobody takes a folder for left over that has no record yet.
        let _turn = ProjectFolder::make(&self.path)?.lock()?;
        let path = self.path.join(random_id(PREFIX));
        let folder = ProjectFolder::make(&path)?;
        let lock = folder.lock()?;
        Ok(HeldRun { path, folder, lock })
    }

    /// The newest record that no other run holds. Those that nobody will come back to are removed.
    pub(super) fn claim_newest(&self) -> Result<Option<HeldRun>, FolderError> {
        let runs = ProjectFolder::make(&self.path)?;
        let _turn = runs.lock()?;
        let mut ended: Vec<(Option<SystemTime>, HeldRun)> = Vec::new();
        for name in runs.names()?.into_iter().filter(|name| name.starts_with(PREFIX)) {
            let path = self.path.join(name);
            // Whatever else has such a name is left alone.
            let Ok(folder) = ProjectFolder::open(&path) else { continue };
            let Ok(Some(lock)) = folder.try_lock() else { continue };
            let written = folder.facts(RECORD).ok().flatten().map(|facts| facts.modified);
            ended.push((written, HeldRun { path, folder, lock }));
        }
        ended.sort_by_key(|(written, _)| std::cmp::Reverse(*written));
        for (_, left_over) in ended.split_off(ended.len().min(MAX_ENDED)) {
            left_over.remove();
        }
        let mut newest = None;
        for (written, held) in ended {
            match written {
                None => held.remove(),
                // The others are released, for the next run.
                Some(_) => newest = newest.or(Some(held)),
            }
        }
        Ok(newest)
    }
}

impl HeldRun {
    pub(super) fn read(&self) -> ParsedRecord {
        match self.folder.read(RECORD, MAX_RECORD_BYTES) {
            Ok(Some((_, bytes))) => RunRecord::parse(&bytes),
            Ok(None) => ParsedRecord::default(),
            Err(error) => ParsedRecord::default().useless(&error.to_string()),
        }
    }

    pub(super) fn write(&self, record: &[u8]) -> Result<(), FolderError> {
        self.folder.replace(RECORD, record, &self.lock)
    }

    pub(super) fn remove(self) {
        if let Err(error) = fs::remove_dir_all(&self.path) {
            tracing::warn!(%error, "the record of a run stays");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::last_run::{RecordedProgram, RecordedTab};

    fn record(name: &str) -> Vec<u8> {
        let tab = RecordedTab { name: name.into(), folder: None, program: RecordedProgram::Terminal };
        RunRecord { tabs: vec![tab], ..RunRecord::default() }.to_bytes()
    }

    /// A run that has ended, with one tab; written at this second.
    fn ended(folders: &RunFolders, name: &str, second: u64) {
        let run = folders.create().unwrap();
        run.write(&record(name)).unwrap();
        let file = fs::File::open(run.path.join(RECORD)).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(second)).unwrap();
    }

    fn name(held: &HeldRun) -> String {
        held.read().record.tabs[0].name.clone()
    }

    #[test]
    fn each_run_takes_a_record_that_no_other_has() {
        let root = tempfile::tempdir().unwrap();
        let folders = RunFolders::new(root.path().join("runs"));
        assert!(folders.claim_newest().unwrap().is_none());
        ended(&folders, "old", 1);
        ended(&folders, "new", 2);
        let going_on = folders.create().unwrap();
        going_on.write(&record("going on")).unwrap();
        let first = folders.claim_newest().unwrap().unwrap();
        let second = folders.claim_newest().unwrap().unwrap();
        assert_eq!((name(&first), name(&second)), ("new".into(), "old".into()));
        assert!(folders.claim_newest().unwrap().is_none(), "the third goes on");
        drop(first);
        assert_eq!(name(&folders.claim_newest().unwrap().unwrap()), "new", "what was not opened is offered again");
        second.remove();
        drop(going_on);
        assert_eq!(name(&folders.claim_newest().unwrap().unwrap()), "going on");
    }

    #[test]
    fn a_record_is_for_its_owner_alone() {
        let root = tempfile::tempdir().unwrap();
        let run = RunFolders::new(root.path().join("runs")).create().unwrap();
        run.write(&record("x")).unwrap();
        for (path, mode) in [(run.path.clone(), 0o700), (run.path.join(RECORD), 0o600)] {
            assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, mode);
        }
    }

    #[test]
    fn what_nobody_comes_back_to_goes() {
        let root = tempfile::tempdir().unwrap();
        let folders = RunFolders::new(root.path().join("runs"));
        for second in 0..MAX_ENDED as u64 + 3 {
            ended(&folders, &format!("run-{second}"), second);
        }
        drop(folders.create().unwrap());
        fs::write(folders.path.join("r_file"), "not ours").unwrap();
        assert_eq!(name(&folders.claim_newest().unwrap().unwrap()), format!("run-{}", MAX_ENDED + 2));
        let kept = fs::read_dir(&folders.path).unwrap().flatten();
        let kept = kept.filter(|entry| entry.file_name().to_string_lossy().starts_with("r_")).count();
        assert_eq!(kept, MAX_ENDED + 1, "the records, and a file that is not ours");
    }

    #[test]
    fn damage_is_told_and_takes_nothing_with_it() {
        let root = tempfile::tempdir().unwrap();
        let folders = RunFolders::new(root.path().join("runs"));
        let run = folders.create().unwrap();
        for (bytes, why) in [(b"{".to_vec(), "damaged"), (vec![b' '; MAX_RECORD_BYTES + 1], "is the limit")] {
            run.write(&bytes).unwrap();
            let read = run.read();
            assert!(read.record.tabs.is_empty() && read.faults[0].contains(why), "{:?}", read.faults);
        }
        fs::remove_file(run.path.join(RECORD)).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", run.path.join(RECORD)).unwrap();
        assert!(run.read().faults[0].contains("link"));
        assert!(run.write(&record("x")).is_err());
    }
}
