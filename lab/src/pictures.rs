//! The README's pictures: the real program on a terminal, with fake agents in it, drawn by our own `replay::picture`.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use clap::Args;
use vt::Size;

use crate::{
    Verdict, repository,
    seat::{self, Seat},
};

const SIZE: Size = Size { cols: 112, rows: 32 };
/// The prompt for the lead.
const PROMPT: &str = "Ship the new checkout. Let others review and build.";

/// Make the README's pictures, from the real program with fake agents in it
#[derive(Args)]
pub(crate) struct Arguments {
    /// Only check that they can be made, and that those in docs/pictures exist
    #[arg(long)]
    check: bool,
    /// Use this patterm instead of building one
    #[arg(long, value_name = "FILE")]
    patterm: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let patterm = match &arguments.patterm {
        Some(patterm) => std::path::absolute(patterm)?,
        None => seat::build_patterm(false)?,
    };
    let root = tempfile::tempdir()?;
    seat::make_folders(root.path())?;
    for make in ["claude", "codex", "opencode"] {
        install(&patterm, root.path(), make)?;
    }
    // Agents show the folder they work in, so it gets a plain name.
    let project = Project::make(&std::env::temp_dir().join("shop"))?;
    write_preset(&project.0)?;
    let program = patterm.to_string_lossy();
    let mut seat = Seat::start(&[&program], seat::plain_env(root.path()), &project.0, SIZE)?;
    let folder = repository("docs/pictures");
    for Still { name, title, reach } in STILLS {
        reach(&mut seat)?;
        settle(&mut seat)?;
        let options = replay::picture::PictureOptions { cursor: true, title: Some((*title).to_owned()) };
        let svg = replay::picture::svg(&seat.screen.frame(), &options);
        let file = folder.join(format!("{name}.svg"));
        if !arguments.check {
            fs::write(&file, svg).with_context(|| format!("writing {}", file.display()))?;
            println!("{}", file.display());
        } else if !file.exists() {
            println!("{} is missing: run cargo lab pictures", file.display());
            return Ok(Verdict::Bad);
        }
    }
    Ok(Verdict::Good)
}

struct Still {
    name: &'static str,
    title: &'static str,
    /// The way from the previous picture to this one.
    reach: fn(&mut Seat) -> Result<()>,
}

const STILLS: &[Still] = &[
    Still { name: "patterm", title: "patterm: an agent leads three others", reach: lead },
    Still { name: "grid", title: "patterm: all sessions of a tab", reach: grid },
    Still { name: "inbox", title: "patterm: a command to approve", reach: inbox },
];

fn lead(seat: &mut Seat) -> Result<()> {
    seat.see("Ctrl-K")?;
    choose(seat, "spawn agent claude", "Spawn agent: claude")?;
    seat.see("first prompt")?;
    seat.write(PROMPT.as_bytes())?;
    seat.see(PROMPT)?;
    seat.write(b"\r")?;
    seat.until("the lead is done", |text| text.contains("I will be told"))?;
    seat.until("all are in the tree", |text| {
        ["reviewer", "builder", "writer", "tests"].iter().all(|name| text.contains(name))
    })?;
    seat.until("the builder is stuck, the reviewer works", |text| {
        let row = |name: &str| text.lines().filter(|line| line.contains('│')).find(|line| line.contains(name));
        row("builder").is_some_and(|row| row.contains(['▲', '◆']))
            && ["reviewer", "writer"].iter().all(|name| row(name).is_some_and(|row| row.contains('●')))
    })?;
    // Notices disappear by themselves.
    seat.until("no notice is left", |text| !text.contains("waits for a decision"))
}

fn grid(seat: &mut Seat) -> Result<()> {
    seat.write(b"\x1bg")?;
    seat.until("all sessions are tiles", |text| ["1 ", "5 "].iter().all(|key| text.contains(&format!("─ {key}"))))
}

fn inbox(seat: &mut Seat) -> Result<()> {
    seat.write(b"\x1ba")?;
    seat.until("what it wants to run", |text| text.contains("needs you") && text.contains("npm install"))
}

fn choose(seat: &mut Seat, typed: &str, entry: &str) -> Result<()> {
    seat.write(b"\x0b")?;
    seat.see("╭ commands")?;
    seat.write(typed.as_bytes())?;
    seat.see(entry)?;
    seat.write(b"\r")
}

/// Waits until nothing has changed for a moment except what blinks and counts.
fn settle(seat: &mut Seat) -> Result<()> {
    let end = Instant::now() + Duration::from_secs(1);
    while Instant::now() < end {
        seat.look(Duration::from_millis(50))?;
    }
    // The bright phase of what blinks.
    seat.until("a picture to keep", |text| !text.contains('◆'))
}

fn install(patterm: &Path, root: &Path, make: &str) -> Result<()> {
    let script = repository("lab/pictures").join(format!("{make}.json"));
    let program = root.join("bin").join(make);
    let (patterm, script) = (patterm.display(), script.display());
    fs::write(&program, format!("#!/bin/sh\nexec '{patterm}' fake-agent {make} --script '{script}' --fast \"$@\"\n"))?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;
    Ok(())
}

fn write_preset(project: &Path) -> Result<()> {
    let folder = project.join(".patterm/presets/processes");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("dev-server.json"), r#"{ "name": "dev-server", "argv": ["npm", "run", "dev"] }"#)?;
    Ok(())
}

/// A folder that is removed when this is dropped.
struct Project(PathBuf);

impl Project {
    fn make(folder: &Path) -> Result<Self> {
        if let Err(error) = fs::create_dir(folder) {
            bail!("{}: {error}; move it away, or set TMPDIR", folder.display());
        }
        Ok(Project(folder.into()))
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
