//! Compiles the scripted child, so that every crate's tests find it without building a binary of
//! another package first.

use std::env;
use std::path::PathBuf;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=child/main.rs");
    let variable = |name: &str| env::var(name).unwrap_or_else(|_| panic!("cargo sets {name} for build scripts"));
    let child = PathBuf::from(variable("OUT_DIR")).join("scripted-child");
    let mut compile = Command::new(variable("RUSTC"));
    compile.args(["child/main.rs", "--crate-name=scripted_child", "--crate-type=bin", "--edition=2024"]);
    compile.args(["-Dwarnings", "-Copt-level=2", "-Cpanic=abort"]);
    compile.arg(format!("--target={}", variable("TARGET"))).arg("-o").arg(&child);
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        compile.arg(format!("-Clinker={linker}"));
    }
    let status = compile.status().unwrap_or_else(|error| panic!("{compile:?} didn't start: {error}"));
    assert!(status.success(), "{compile:?} failed: {status}");
    println!("cargo::rustc-env=SCRIPTED_CHILD={}", child.display());
}
