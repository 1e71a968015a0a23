//! Installing the CLIs from npm, each version in a folder of its own.

use std::{
    fs,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};

use super::vendors::Vendor;
use crate::Verdict;

/// Install the CLIs from npm into target/agents (or PATTERM_AGENTS), versions side by side
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// NAME or NAME@VERSION; all if omitted
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let chosen: Vec<Vendor> = if arguments.names.is_empty() {
        Vendor::all()?
    } else {
        arguments.names.iter().map(|name| Vendor::named(name)).collect::<Result<_>>()?
    };
    for vendor in &chosen {
        install(vendor)?;
        println!("{} {} from {}", vendor.name, vendor.version, vendor.package);
    }
    Ok(Verdict::Good)
}

/// Does nothing if it is installed.
pub(crate) fn install(vendor: &Vendor) -> Result<()> {
    if !is_there(vendor) {
        let (folder, wanted) = (vendor.folder(), format!("{}@{}", vendor.package, vendor.version));
        fs::create_dir_all(&folder)?;
        // With their install scripts: claude's replaces a file that says it is missing by the program.
        let status = Command::new("npm")
            .args(["install", "--no-audit", "--no-fund", "--loglevel", "error", "--prefix"])
            .arg(&folder)
            .arg(&wanted)
            .status()
            .context("npm is needed: install Node.js with npm")?;
        ensure!(status.success(), "npm could not install {wanted}");
        ensure!(is_there(vendor), "{wanted} is not in {} after the install", folder.display());
    }
    starts(vendor)
}

fn is_there(vendor: &Vendor) -> bool {
    let manifest = vendor.folder().join("node_modules").join(&vendor.package).join("package.json");
    let text = fs::read_to_string(manifest).unwrap_or_default();
    let manifest: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    manifest["version"] == vendor.version.as_str() && vendor.programs().join(vendor.name).exists()
}

/// Queries the program's version, with a home folder of its own.
fn starts(vendor: &Vendor) -> Result<()> {
    let home = tempfile::tempdir()?;
    let mut program = Command::new(vendor.programs().join(vendor.name));
    let output = program.arg("--version").env("HOME", home.path()).stdin(Stdio::null()).output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{} {} does not start: {}", vendor.name, vendor.version, said.trim());
    Ok(())
}
