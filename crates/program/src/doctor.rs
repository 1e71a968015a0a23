//! What `patterm doctor` and `vtr doctor` have found: the findings, and how they are shown to people and to programs.
//!
//! The checks that both programs make stand beside it, and each program adds its own. A check gets what it needs passed
//! in, changes nothing, and is bounded in time. Findings quote files, programs and terminals, and people paste them
//! into reports: so every text becomes one bounded line without control characters, and the home folder becomes `~`.

mod folders;
mod limits;
mod sockets;
mod system;

use std::path::Path;

use serde::Serialize;

pub use self::{
    folders::{FolderUse, check_folder, check_free_space, check_socket_folder},
    limits::check_limits,
    sockets::check_sockets,
    system::check_versions,
};
use crate::{clean_text::printable, failure::Exit};

/// The longest text and the longest advice, in characters. What we say ourselves is shorter.
const LONGEST: usize = 400;

/// What a finding means for the person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingState {
    Ok,
    /// Worth knowing; everything works.
    Note,
    /// Something works less well than it could.
    Warning,
    /// Something does not work.
    Fault,
}

impl FindingState {
    /// No two have the same sign or word: the table needs no colours.
    fn sign_and_word(self) -> (char, &'static str) {
        match self {
            FindingState::Ok => ('✓', "ok"),
            FindingState::Note => ('·', "note"),
            FindingState::Warning => ('!', "warning"),
            FindingState::Fault => ('✗', "fault"),
        }
    }
}

/// One result of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DoctorFinding {
    /// What it is about: findings of one area are shown together.
    pub area: &'static str,
    pub state: FindingState,
    pub text: String,
    /// What to do; empty if there is nothing.
    pub advice: String,
}

impl DoctorFinding {
    fn new(area: &'static str, state: FindingState, text: impl Into<String>, advice: impl Into<String>) -> Self {
        DoctorFinding { area, state, text: text.into(), advice: advice.into() }
    }

    pub fn ok(area: &'static str, text: impl Into<String>) -> Self {
        Self::new(area, FindingState::Ok, text, "")
    }

    /// The advice may be empty.
    pub fn note(area: &'static str, text: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::new(area, FindingState::Note, text, advice)
    }

    pub fn warning(area: &'static str, text: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::new(area, FindingState::Warning, text, advice)
    }

    pub fn fault(area: &'static str, text: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::new(area, FindingState::Fault, text, advice)
    }
}

/// Everything that was found, safe to print and to send.
#[derive(Clone, Debug, Serialize)]
pub struct DoctorReport {
    program: &'static str,
    version: &'static str,
    findings: Vec<DoctorFinding>,
    warnings: usize,
    faults: usize,
}

impl DoctorReport {
    pub fn new(program: &'static str, version: &'static str, home: &Path, found: Vec<DoctorFinding>) -> Self {
        let home = home.to_string_lossy();
        let safe = |text: &str| bounded(&without_home(&printable(&one_line(text)), &home));
        let findings: Vec<DoctorFinding> = found
            .into_iter()
            .map(|finding| DoctorFinding { text: safe(&finding.text), advice: safe(&finding.advice), ..finding })
            .collect();
        let count = |state| findings.iter().filter(|finding| finding.state == state).count();
        let (warnings, faults) = (count(FindingState::Warning), count(FindingState::Fault));
        DoctorReport { program, version, findings, warnings, faults }
    }

    /// A table for people: areas in the order of their first findings, advice below its finding, and the counts last.
    pub fn lines(&self) -> Vec<String> {
        let mut areas: Vec<&str> = Vec::new();
        for finding in &self.findings {
            if !areas.contains(&finding.area) {
                areas.push(finding.area);
            }
        }
        let mut lines = Vec::new();
        for area in areas {
            lines.push(area.to_owned());
            for finding in self.findings.iter().filter(|finding| finding.area == area) {
                let (sign, word) = finding.state.sign_and_word();
                lines.push(format!("  {sign} {word:7}  {}", finding.text));
                if !finding.advice.is_empty() {
                    lines.push(format!("             {}", finding.advice));
                }
            }
            lines.push(String::new());
        }
        lines.push(format!("{}, {}", counted(self.warnings, "warning"), counted(self.faults, "fault")));
        lines
    }

    pub fn exit(&self) -> Exit {
        if self.faults == 0 { Exit::Done } else { Exit::NotFound }
    }
}

fn counted(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// Error messages may have several lines.
fn one_line(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join(" ")
}

/// `~` for the home folder where a path begins with it; `/home/ann` is not in `/home/anna` or `/srv/home/ann`.
fn without_home(text: &str, home: &str) -> String {
    let home = home.trim_end_matches('/');
    if home.is_empty() {
        return text.to_owned();
    }
    let of_a_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    let mut shortened = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(home) {
        let (before, after) = (&rest[..at], &rest[at + home.len()..]);
        shortened.push_str(before);
        let begins = !before.ends_with(|c| of_a_name(c) || c == '/');
        let ends = !after.starts_with(of_a_name);
        shortened.push_str(if begins && ends { "~" } else { home });
        rest = after;
    }
    shortened + rest
}

fn bounded(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(found: Vec<DoctorFinding>) -> DoctorReport {
        DoctorReport::new("patterm", "1.2.3", Path::new("/home/ann"), found)
    }

    #[test]
    fn findings_are_grouped_and_counted() {
        let report = report(vec![
            DoctorFinding::ok("folders", "the data folder is yours"),
            DoctorFinding::warning("agents", "codex is too old", "update it"),
            DoctorFinding::note("folders", "there is little room", ""),
            DoctorFinding::fault("agents", "claude can't be run", "install it again"),
        ]);
        let expected = "\
folders
  ✓ ok       the data folder is yours
  · note     there is little room

agents
  ! warning  codex is too old
             update it
  ✗ fault    claude can't be run
             install it again

1 warning, 1 fault";
        assert_eq!(report.lines().join("\n"), expected);
        assert_eq!(report.exit(), Exit::NotFound);
        let json = serde_json::to_value(&report).unwrap();
        let first = serde_json::json!({
            "area": "folders", "state": "ok", "text": "the data folder is yours", "advice": "",
        });
        assert_eq!((&json["version"], &json["findings"][0], &json["faults"]), (&"1.2.3".into(), &first, &1.into()));
    }

    #[test]
    fn without_faults_all_is_well() {
        let report =
            report(vec![DoctorFinding::warning("agents", "a", "b"), DoctorFinding::warning("agents", "c", "d")]);
        assert_eq!((report.exit(), report.lines().pop().unwrap()), (Exit::Done, "2 warnings, 0 faults".to_owned()));
    }

    #[test]
    fn hostile_text_is_one_short_line() {
        let report =
            report(vec![DoctorFinding::note("x", format!("a\n\x1b[2J\u{202e}{}", "b".repeat(9999)), "c\r\nd")]);
        let lines = report.lines();
        assert!(lines[1].starts_with("  · note     a \u{fffd}[2J\u{fffd}bbb") && lines[1].ends_with("b…"), "{lines:?}");
        assert!(lines[1].chars().count() < 420 && lines[2].ends_with(" c d"), "{lines:?}");
    }

    #[test]
    fn the_home_folder_is_not_named() {
        let shown = |text: &str| without_home(text, "/home/ann/");
        assert_eq!(shown("/home/ann/.config and '/home/ann': /home/ann"), "~/.config and '~': ~");
        for other in ["/home/anna/x", "/srv/home/ann/x", "/home/ann.old", "nothing"] {
            assert_eq!(shown(other), other);
        }
        assert_eq!(without_home("/etc", "/"), "/etc");
    }
}
