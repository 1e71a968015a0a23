//! A place for one run: a home folder and a project of its own, a scripted model, and nothing of the machine's but the
//! programs.

use std::{
    fs,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;
use testkit::model::{ModelScript, ScriptedModel};

use super::{
    headless::Headless,
    leftovers::left_behind,
    vendors::{Environment, Place, Vendor},
};

pub(crate) struct Stage {
    root: TempDir,
    /// Sockets and the files of launches. Apart, because one CLI reads no settings below a folder that all may write to.
    run: TempDir,
    pub(crate) model: ScriptedModel,
    environment: Environment,
    /// Where the programs lie.
    path: Vec<PathBuf>,
}

impl Stage {
    pub(crate) fn new(script: ModelScript, vendors: &[Vendor]) -> Result<Self> {
        Self::in_root(tempfile::Builder::new().prefix("agents-").tempdir()?, script, vendors)
    }

    /// For recordings, which show where they were made: the same place on every machine.
    pub(crate) fn at_a_fixed_place(script: ModelScript, vendors: &[Vendor]) -> Result<Self> {
        let name = tempfile::Builder::new().prefix("demo").rand_bytes(0).tempdir_in("/tmp");
        Self::in_root(name.context("another recording is being made")?, script, vendors)
    }

    fn in_root(root: TempDir, script: ModelScript, vendors: &[Vendor]) -> Result<Self> {
        let target = crate::repository("target");
        fs::create_dir_all(&target)?;
        let run = tempfile::Builder::new().prefix("run-").tempdir_in(target)?;
        for folder in ["home", "project", "seen", "tmp"] {
            fs::DirBuilder::new().mode(0o700).create(root.path().join(folder))?;
        }
        let model = ScriptedModel::start(script)?;
        let path = vendors.iter().map(Vendor::programs).collect();
        let mut stage = Stage { root, run, model, environment: Vec::new(), path };
        // So that no CLI looks further up for a project.
        let made =
            Command::new("git").args(["init", "--quiet"]).current_dir(stage.project()).status().context("git")?;
        ensure!(made.success(), "git init failed");
        for vendor in vendors {
            let program = vendor.programs().join(vendor.name);
            ensure!(
                program.exists(),
                "{} is missing: run `cargo lab agents install {}@{}`",
                program.display(),
                vendor.name,
                vendor.version
            );
            let (home, project, model) = (stage.home(), stage.project(), stage.model.base_url(vendor.name));
            let place = Place { home: &home, project: &project, model: &model };
            stage.environment.extend(vendor.seed(&place)?);
        }
        Ok(stage)
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.root.path().join("project")
    }

    /// Where patterm writes down what happens in the run.
    pub(crate) fn seen(&self) -> PathBuf {
        self.root.path().join("seen")
    }

    pub(crate) fn events(&self) -> String {
        fs::read_to_string(self.seen().join("events.jsonl")).unwrap_or_default()
    }

    /// The environment that patterm, or a CLI without it, is started in.
    pub(crate) fn environment(&self) -> Vec<(String, String)> {
        let programs = self.path.iter().map(|folder| format!("{}:", folder.display())).collect::<String>();
        let path = programs + &std::env::var("PATH").unwrap_or_default();
        let mut all = vec![
            ("PATH".to_owned(), path),
            ("HOME".to_owned(), self.home().display().to_string()),
            ("TMPDIR".to_owned(), self.root.path().join("tmp").display().to_string()),
            ("XDG_RUNTIME_DIR".to_owned(), self.run.path().display().to_string()),
            ("LANG".to_owned(), "C.UTF-8".to_owned()),
            ("SHELL".to_owned(), "/bin/sh".to_owned()),
        ];
        all.extend(self.environment.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        all
    }

    /// The connect file of a patterm that was started with `--operator-file`.
    pub(crate) fn operator_file(&self, pid: u32) -> PathBuf {
        self.run.path().join(format!("patterm/{pid}/operator-1.json"))
    }

    pub(crate) fn patterm(&self, program: &Path) -> Result<Headless> {
        let mut command = Command::new(program);
        command.arg("--headless").arg(format!("--debug={}", self.seen().display()));
        command.env_clear().envs(self.environment()).current_dir(self.project());
        Headless::start(program, &mut command)
    }

    /// What still runs after everything was ended, and what still lies in the folder of sockets.
    pub(crate) fn left(&self) -> Vec<String> {
        let mut left = left_behind(&self.home());
        let sockets = fs::read_dir(self.run.path().join("patterm")).into_iter().flatten().flatten();
        left.extend(sockets.map(|entry| entry.path().display().to_string()));
        left
    }
}
