//! All presets of both folders at one moment: the person's own, and the project's.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::agent::AgentPreset;
use super::content::{ContentHash, PresetContent};
use super::parse::{MAX_PRESET_BYTES, ParsedPreset, Problem, parse_agent, parse_process};
use super::process::ProcessPreset;
use super::rules_file::{ParsedRules, overlay};

/// Maximum files read in one folder.
const MAX_FILES: usize = 1000;

/// Folders that contain `agents/*.json` and `processes/*.json`; the person's own also `rules/*.json`. They need not
/// exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PresetFolders {
    /// The person's own, such as `~/.config/patterm/presets`.
    pub global: PathBuf,
    /// The project's, such as `.patterm/presets`. Its presets override those of the same name.
    pub project: Option<PathBuf>,
}

/// Whose preset it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Global,
    /// Part of the project: marked as such, and never trusted without asking.
    Project {
        /// Overrides a global preset with the same name.
        overrides: bool,
    },
}

/// A usable preset.
#[derive(Clone, Debug)]
pub struct Found<P> {
    pub preset: Arc<P>,
    pub place: Place,
    pub file: PathBuf,
    pub content: PresetContent,
    pub hash: ContentHash,
    /// The file whose rules replace the preset's own.
    pub rules: Option<PathBuf>,
}

#[derive(Clone, Debug, Default)]
pub struct Catalog {
    agents: BTreeMap<String, Found<AgentPreset>>,
    processes: BTreeMap<String, Found<ProcessPreset>>,
    pub problems: Vec<Problem>,
}

impl Catalog {
    /// Reads both folders. Files that can't be read or used become problems and don't affect others.
    pub fn scan(folders: &PresetFolders) -> Self {
        let mut problems = Vec::new();
        let mut agents = scan_both(folders, "agents", parse_agent, |preset| &preset.name, &mut problems);
        let processes = scan_both(folders, "processes", parse_process, |preset| &preset.name, &mut problems);
        for rules in newest_rules(&folders.global.join("rules"), &mut problems).into_values() {
            // For a project's preset, the human was asked about its own content.
            if let Some(found) = agents.get_mut(&rules.preset).filter(|found| found.place == Place::Global) {
                overlay(found, &rules, &mut problems);
            }
        }
        Catalog { agents, processes, problems }
    }

    pub fn agent(&self, name: &str) -> Option<&Found<AgentPreset>> {
        self.agents.get(name)
    }

    pub fn process(&self, name: &str) -> Option<&Found<ProcessPreset>> {
        self.processes.get(name)
    }

    /// By name.
    pub fn agents(&self) -> impl ExactSizeIterator<Item = &Found<AgentPreset>> {
        self.agents.values()
    }

    /// By name.
    pub fn processes(&self) -> impl ExactSizeIterator<Item = &Found<ProcessPreset>> {
        self.processes.values()
    }

    /// Whether a reader would notice any difference.
    pub(crate) fn same_as(&self, other: &Catalog) -> bool {
        fn marks<P>(
            presets: &BTreeMap<String, Found<P>>,
        ) -> impl Iterator<Item = (&String, Place, &Path, &ContentHash)> {
            presets.iter().map(|(name, found)| (name, found.place, found.file.as_path(), &found.hash))
        }
        marks(&self.agents).eq(marks(&other.agents))
            && marks(&self.processes).eq(marks(&other.processes))
            && self.problems == other.problems
    }
}

type Parse<P> = fn(&Path, &str) -> Result<ParsedPreset<P>, Problem>;

fn scan_both<P>(
    folders: &PresetFolders,
    kind: &str,
    parse: Parse<P>,
    name: fn(&P) -> &str,
    problems: &mut Vec<Problem>,
) -> BTreeMap<String, Found<P>> {
    let mut found = BTreeMap::new();
    scan_folder(&folders.global.join(kind), Place::Global, parse, name, &mut found, problems);
    if let Some(project) = &folders.project {
        let mut own = BTreeMap::new();
        scan_folder(&project.join(kind), Place::Project { overrides: false }, parse, name, &mut own, problems);
        for (name, mut preset) in own {
            preset.place = Place::Project { overrides: found.contains_key(&name) };
            found.insert(name, preset);
        }
    }
    found
}

/// By preset: of several files for one, the newest counts.
fn newest_rules(folder: &Path, problems: &mut Vec<Problem>) -> BTreeMap<String, ParsedRules> {
    let files = match json_files(folder) {
        Ok(files) => files,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return BTreeMap::new(),
        Err(error) => {
            problems.push(Problem::error(folder, format!("the folder can't be read ({error}): check its permissions")));
            return BTreeMap::new();
        }
    };
    let mut newest: BTreeMap<String, ParsedRules> = BTreeMap::new();
    for file in files.into_iter().take(MAX_FILES) {
        match ParsedRules::read_file(&file) {
            Ok(rules) if newest.get(&rules.preset).is_none_or(|known| known.rules_version < rules.rules_version) => {
                newest.insert(rules.preset.clone(), rules);
            }
            Ok(_) => {}
            Err(problem) => problems.push(problem),
        }
    }
    newest
}

fn scan_folder<P>(
    folder: &Path,
    place: Place,
    parse: Parse<P>,
    name: fn(&P) -> &str,
    found: &mut BTreeMap<String, Found<P>>,
    problems: &mut Vec<Problem>,
) {
    let files = match json_files(folder) {
        Ok(files) => files,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return,
        Err(error) => {
            problems.push(Problem::error(folder, format!("the folder can't be read ({error}): check its permissions")));
            return;
        }
    };
    if files.len() > MAX_FILES {
        let message = format!("there are more than {MAX_FILES} files: those after the first {MAX_FILES} are left out");
        problems.push(Problem::error(folder, message));
    }
    for file in files.into_iter().take(MAX_FILES) {
        let parsed = match read_bounded(&file) {
            Ok(text) => parse(&file, &text),
            // Deleted since the folder was listed.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => Err(Problem::error(&file, format!("the file can't be read: {error}"))),
        };
        let parsed = match parsed {
            Ok(parsed) => parsed,
            Err(problem) => {
                problems.push(problem);
                continue;
            }
        };
        let called = name(&parsed.preset).to_owned();
        problems.extend(parsed.warnings);
        if let Some(first) = found.get(&called) {
            let message =
                format!("the name '{called}' is taken by {}: give one of the two another `name`", first.file.display());
            problems.push(Problem::error(&file, message));
            continue;
        }
        let hash = parsed.content.hash();
        let preset = Arc::new(parsed.preset);
        found.insert(called, Found { preset, place, file, content: parsed.content, hash, rules: None });
    }
}

/// Sorted by name, so that the same file wins each time. Hidden files belong to editors.
fn json_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        if !hidden && path.extension().is_some_and(|extension| extension == "json") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

pub(super) fn read_bounded(file: &Path) -> io::Result<String> {
    // Checked before opening: opening a pipe would wait for its writer.
    if !fs::metadata(file)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file: remove it"));
    }
    let mut bytes = Vec::new();
    // One byte more than allowed, so that the parser notices the excess.
    fs::File::open(file)?.take(MAX_PRESET_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    String::from_utf8(bytes)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8: save it as UTF-8"))
}
