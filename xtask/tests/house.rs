//! Rules that the compiler does not check: which crate may depend on which, and what files must not contain. The tests
//! look at the working tree, so that a broken rule is noticed before the commit.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Each crate of the workspace, and the workspace crates it may depend on. Dev-dependencies are free. A new edge
/// changes the architecture, so change ARCHITECTURE.md in the same commit.
const EDGES: &[(&str, &[&str])] = &[
    ("vt", &[]),
    ("pty", &[]),
    ("engine", &["vt", "pty"]),
    ("cast", &[]),
    ("replay", &["cast", "vt"]),
    ("ops", &["engine", "vt", "cast"]),
    ("agents", &["engine", "vt"]),
    ("project", &["ops", "agents", "engine"]),
    ("mcp", &["ops", "program"]),
    ("grpc", &["ops", "engine", "vt"]),
    ("program", &["pty", "vt"]),
    ("web", &["grpc", "program", "replay", "vt"]),
    ("tui", &["replay", "vt"]),
    ("interface", &["project", "agents", "fleet", "grpc", "ops", "engine", "program", "replay", "tui", "vt"]),
    ("fleet", &["grpc", "ops", "engine", "program", "vt"]),
    ("fake", &["vt"]),
    (
        "patterm",
        &["project", "agents", "ops", "engine", "mcp", "grpc", "program", "replay", "fake", "interface", "tui", "vt"],
    ),
    ("vtr", &["fleet", "ops", "engine", "grpc", "mcp", "program", "web", "replay", "interface", "tui", "vt"]),
    ("testkit", &["engine", "vt", "fake"]),
];

/// Tools that ship nothing: they may use every crate.
const TOOLS: &[&str] = &["lab", "xtask"];

/// Where unsafe code is allowed: in the crate that makes system calls, and in the test program that stands for any
/// child.
const UNSAFE_CODE: &[&str] = &["crates/pty/", "crates/testkit/child/"];

#[test]
fn crates_depend_only_on_those_they_may_know() {
    let allowed: BTreeMap<&str, &[&str]> = EDGES.iter().copied().collect();
    let packages = packages();
    let ours: BTreeSet<&str> = packages.iter().map(|package| package.name.as_str()).collect();
    let mut faults = Vec::new();
    for Package { name, dependencies } in &packages {
        if TOOLS.contains(&name.as_str()) {
            continue;
        }
        let Some(allowed) = allowed.get(name.as_str()) else {
            faults.push(format!(
                "{name} is not in the table: name it, and the crates it may know, in EDGES and in ARCHITECTURE.md"
            ));
            continue;
        };
        for dependency in dependencies.iter().filter(|dependency| ours.contains(dependency.as_str())) {
            if !allowed.contains(&dependency.as_str()) {
                faults.push(format!("{name} depends on {dependency}, and may only know {allowed:?}"));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn every_file_says_what_it_is() {
    check(
        |path| path.ends_with(".rs") && !path.contains("/generated/"),
        |_, text| {
            (!text.starts_with("//!")).then(|| "open it with `//!`: what it is, and what it must not know".into())
        },
    );
}

#[test]
fn modules_have_names() {
    check(
        |path| path.ends_with(".rs"),
        |path, _| path.ends_with("/mod.rs").then(|| "call it foo.rs, beside the folder foo/".into()),
    );
}

#[test]
fn only_the_crate_for_os_calls_is_unsafe() {
    // Spelled so that this file passes.
    let word = concat!("un", "safe");
    let holds_word = |line: &str| {
        let code = line.split("//").next().unwrap_or_default();
        code.split(|c: char| c != '_' && !c.is_alphanumeric()).any(|part| part == word)
    };
    check(
        |path| path.ends_with(".rs") && !UNSAFE_CODE.iter().any(|place| path.starts_with(place)),
        |_, text| {
            let line = text.lines().position(holds_word)? + 1;
            Some(format!("line {line} holds {word} code: ask the crate pty for what it needs, or let pty offer it"))
        },
    );
}

#[test]
fn no_file_names_somebodys_machine() {
    // Spelled so that this file passes.
    let places = [concat!("/", "work/"), concat!("/", "root/")];
    check(
        // Recordings show what programs printed where they ran.
        |path| !path.ends_with(".raw") && path != "Cargo.lock",
        |_, text| {
            let line = text.lines().position(|line| places.iter().any(|place| begins_a_path(line, place)))? + 1;
            Some(format!(
                "line {line} names a path of one machine: write it relative to the repository, or leave it out"
            ))
        },
    );
}

/// A folder of the same name further down, as in recordings of a made-up home, is not a path of this machine.
fn begins_a_path(line: &str, place: &str) -> bool {
    line.match_indices(place).any(|(at, _)| !line[..at].ends_with(|before: char| before.is_ascii_alphanumeric()))
}

/// Fails with every fault that `fault` finds in the text files that `chosen` selects by their path from the root.
fn check(chosen: impl Fn(&str) -> bool, fault: impl Fn(&str, &str) -> Option<String>) {
    let root = root();
    let mut paths = Vec::new();
    walk(&root, Path::new(""), &ignored(&root), &mut paths);
    let mut looked_at = 0;
    let mut faults = Vec::new();
    for path in paths.iter().filter_map(|path| path.to_str()).filter(|path| chosen(path)) {
        // A binary file can't break a rule about text.
        let Ok(text) = fs::read_to_string(root.join(path)) else { continue };
        looked_at += 1;
        faults.extend(fault(path, &text).map(|fault| format!("{path}: {fault}")));
    }
    assert!(looked_at > 0, "there is nothing to check under {}", root.display());
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

fn walk(root: &Path, folder: &Path, ignored: &BTreeSet<PathBuf>, paths: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(root.join(folder)).expect("a folder of this repository can be read");
    for entry in entries {
        let entry = entry.expect("a folder of this repository can be read");
        let path = folder.join(entry.file_name());
        if ignored.contains(&path) {
            continue;
        }
        let kind = entry.file_type().expect("an entry has a type");
        if kind.is_dir() {
            walk(root, &path, ignored, paths);
        } else if kind.is_file() {
            paths.push(path);
        }
    }
}

/// Files that are not ours: git's own folder, and the entries of .gitignore, which are plain paths.
fn ignored(root: &Path) -> BTreeSet<PathBuf> {
    let text = fs::read_to_string(root.join(".gitignore")).expect("the repository has a .gitignore");
    let ignored = text.lines().map(|line| {
        let path = line.strip_prefix('/').filter(|path| !path.contains(['*', '?', '[']));
        PathBuf::from(
            path.unwrap_or_else(|| panic!(".gitignore: {line:?} is no plain path from the root, as /target is")),
        )
    });
    ignored.chain([PathBuf::from(".git")]).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository's root").to_owned()
}

struct Package {
    name: String,
    /// Without its dev-dependencies.
    dependencies: Vec<String>,
}

fn packages() -> Vec<Package> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .expect("the cargo that built this test can be run");
    assert!(output.status.success(), "cargo metadata failed:\n{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON");
    let name = |value: &serde_json::Value| value["name"].as_str().expect("it has a name").to_owned();
    let list = |value: &serde_json::Value| value.as_array().expect("it is a list").clone();
    list(&metadata["packages"])
        .iter()
        .map(|package| {
            let dependencies = list(&package["dependencies"]);
            let normal = dependencies.iter().filter(|dependency| dependency["kind"] != "dev");
            Package { name: name(package), dependencies: normal.map(name).collect() }
        })
        .collect()
}
