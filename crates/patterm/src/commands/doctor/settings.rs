//! The files that people write: settings and theme, presets and rules, what is trusted, and the start set.
//!
//! A message about a preset may quote its values, which may be secret: only the place of a problem is named.

use std::path::Path;

use agents::{Catalog, preset::Severity};
use program::{Surroundings, doctor::DoctorFinding};
use project::{
    Layout,
    start_set::{StartSet, StartSetError},
    trust::Grants,
};

use crate::{
    commands::{config, presets},
    output::counted,
};

const AREA: &str = "settings";
/// Problems of presets that are named.
const MAX_NAMED: usize = 10;

pub(super) fn check(project: &Path, surroundings: &Surroundings) -> Vec<DoctorFinding> {
    let mut found = check_config(surroundings);
    found.extend(check_presets(&Catalog::scan(&presets::folders(surroundings, project))));
    found.extend(check_project(project, surroundings));
    found
}

fn check_config(surroundings: &Surroundings) -> Vec<DoctorFinding> {
    let file = config::file(surroundings);
    let shown = file.display();
    match config::warnings(&file, surroundings) {
        Ok(None) => vec![DoctorFinding::ok(AREA, format!("there is no {shown}: every setting has its default"))],
        Ok(Some(warnings)) if warnings.is_empty() => {
            vec![DoctorFinding::ok(AREA, format!("{shown} is right, and the theme that it names"))]
        }
        Ok(Some(warnings)) => {
            let advice = "correct it: `patterm config default` prints a file with every setting";
            let warning = |what: String| DoctorFinding::warning(AREA, format!("{shown}: {what}"), advice);
            warnings.into_iter().take(MAX_NAMED).map(warning).collect()
        }
        Err(failure) => vec![DoctorFinding::fault(AREA, failure.message, failure.hint)],
    }
}

fn check_presets(catalog: &Catalog) -> Vec<DoctorFinding> {
    let usable = catalog.agents().len() + catalog.processes().len();
    let problems = &catalog.problems;
    if usable == 0 && problems.is_empty() {
        return vec![DoctorFinding::ok(AREA, "there are no presets yet: patterm's first start installs its own")];
    }
    if problems.is_empty() {
        return vec![DoctorFinding::ok(AREA, format!("{} can be used", counted(usable, "preset")))];
    }
    let mut found = Vec::new();
    for problem in problems.iter().take(MAX_NAMED) {
        let line = problem.line.map(|line| format!(", line {line}")).unwrap_or_default();
        let place = format!("{}{line}", problem.file.display());
        let advice = "`patterm presets check` says what it is";
        found.push(match problem.severity {
            Severity::Error => {
                DoctorFinding::fault(AREA, format!("{place}: a mistake, so the file is not used"), advice)
            }
            Severity::Warning => DoctorFinding::warning(AREA, format!("{place}: a mistake"), advice),
        });
    }
    if problems.len() > MAX_NAMED {
        let more = problems.len() - MAX_NAMED;
        found.push(DoctorFinding::note(AREA, format!("{} more in presets", counted(more, "problem")), ""));
    }
    found
}

fn check_project(project: &Path, surroundings: &Surroundings) -> Vec<DoctorFinding> {
    let layout = match Layout::new(project, &surroundings.data_dir) {
        Ok(layout) => layout,
        Err(error) => return vec![DoctorFinding::fault(AREA, error.to_string(), "")],
    };
    let trusted = match Grants::new(layout.folder).all() {
        Ok(grants) => DoctorFinding::ok(AREA, format!("trust: {} in this project", counted(grants.len(), "grant"))),
        // The error says what to do.
        Err(error) => DoctorFinding::fault(AREA, error.to_string(), ""),
    };
    let start_set = match StartSet::read(&layout.project_dir) {
        Err(StartSetError::Missing) => None,
        Ok(set) => Some(DoctorFinding::ok(
            AREA,
            format!("start.json of this project opens {}", counted(set.open.len(), "tab")),
        )),
        Err(error @ StartSetError::Unreadable { .. }) => Some(DoctorFinding::fault(AREA, error.to_string(), "")),
        Err(StartSetError::Wrong { line, .. }) => Some(wrong_start_set(format!("line {line}"))),
        Err(StartSetError::WrongEntry { number, .. }) => Some(wrong_start_set(format!("entry {number}"))),
    };
    [Some(trusted), start_set].into_iter().flatten().collect()
}

fn wrong_start_set(place: String) -> DoctorFinding {
    let text = format!(".patterm/start.json of this project, {place}: a mistake, so it opens nothing");
    DoctorFinding::fault(AREA, text, "\"Open the project's start set\" in the palette says what it is")
}
