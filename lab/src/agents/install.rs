//! Installing the CLIs from npm at the versions that the presets were made with.

use std::{
    fs,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};

use super::vendors::{VENDORS, Vendor, programs};
use crate::Verdict;

/// Install the CLIs from npm into target/agents (or PATTERM_AGENTS)
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Which; all without any
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let chosen: Vec<Vendor> = if arguments.names.is_empty() {
        VENDORS.to_vec()
    } else {
        arguments.names.iter().map(|name| Vendor::named(name)).collect::<Result<_>>()?
    };
    let programs = programs();
    let folder = programs.parent().and_then(|modules| modules.parent()).context("programs lie in a folder")?;
    let missing: Vec<String> = chosen
        .iter()
        .filter(|vendor| !is_there(folder, vendor))
        .map(|v| format!("{}@{}", v.package, v.version))
        .collect();
    if !missing.is_empty() {
        fs::create_dir_all(folder)?;
        // With their install scripts: claude's puts the program in place of a file that says it is missing.
        let status = Command::new("npm")
            .args(["install", "--no-audit", "--no-fund", "--loglevel", "error", "--prefix"])
            .arg(folder)
            .args(&missing)
            .status()
            .context("npm is needed: install Node.js with npm")?;
        ensure!(status.success(), "npm could not install {}", missing.join(" "));
    }
    for vendor in &chosen {
        ensure!(is_there(folder, vendor), "{} is not in {} after the install", vendor.package, folder.display());
        starts(folder, vendor)?;
        println!("{} {} from {}", vendor.name, vendor.version, vendor.package);
    }
    Ok(Verdict::Good)
}

fn is_there(folder: &std::path::Path, vendor: &Vendor) -> bool {
    let manifest = folder.join("node_modules").join(vendor.package).join("package.json");
    let text = fs::read_to_string(manifest).unwrap_or_default();
    let manifest: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    manifest["version"] == vendor.version && folder.join("node_modules/.bin").join(vendor.name).exists()
}

/// Asks the program for its version, with a home of its own.
fn starts(folder: &std::path::Path, vendor: &Vendor) -> Result<()> {
    let home = tempfile::tempdir()?;
    let mut program = Command::new(folder.join("node_modules/.bin").join(vendor.name));
    let output = program.arg("--version").env("HOME", home.path()).stdin(Stdio::null()).output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{} does not start: {}", vendor.name, said.trim());
    Ok(())
}
