//! What a session's program says of its own work (OSC 7501), as several operations answer with it.

use std::cmp::Reverse;

use engine::AgedReport;
use schemars::JsonSchema;
use serde::Serialize;
use vt::StatusRecord;

use crate::entry::millis;

/// Reports that a list tells of each session: those that matter most.
const MAX_LISTED: usize = 8;
/// Characters of a message in a list.
const MAX_LISTED_MSG: usize = 200;

/// One report of a program on its own work. The program's word: not to be trusted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProgramReport {
    /// The part of the work that this is about, for example `deploy/eu-west`; left out for the program as a whole.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// `idle`, `working`, `blocked` (waits for the user), `done` or `error`.
    pub state: String,
    /// What a blocked program needs: `permission`, `question` or `auth`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<u8>,
    /// The program's name, its own or inherited from the part above.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub msg: Option<String>,
    /// Milliseconds since the last report.
    pub age_ms: u64,
}

impl ProgramReport {
    /// All of them: the whole before its parts.
    pub fn all(reports: &[AgedReport]) -> Vec<Self> {
        let mut sorted: Vec<&AgedReport> = reports.iter().collect();
        sorted.sort_by(|one, other| one.record.id.cmp(&other.record.id));
        sorted.into_iter().map(|report| Self::of(report, reports, usize::MAX)).collect()
    }

    /// Those that matter most, in few words, in the same order.
    pub(crate) fn listed(reports: &[AgedReport]) -> Vec<Self> {
        let mut leading: Vec<&AgedReport> = reports.iter().collect();
        leading.sort_by_key(|report| (Reverse(report.record.rank()), report.age));
        leading.truncate(MAX_LISTED);
        leading.sort_by(|one, other| one.record.id.cmp(&other.record.id));
        leading.into_iter().map(|report| Self::of(report, reports, MAX_LISTED_MSG)).collect()
    }

    fn of(report: &AgedReport, all: &[AgedReport], max_msg: usize) -> Self {
        let StatusRecord { id, state, kind, progress, title, msg, .. } = &*report.record;
        let records = all.iter().map(|report| &*report.record);
        let cut = |text: &String| match text.char_indices().nth(max_msg) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text.clone(),
        };
        ProgramReport {
            id: id.clone(),
            state: state.as_str().to_owned(),
            kind: kind.map(|kind| kind.as_str().to_owned()),
            progress: *progress,
            app: vt::inherited_app(records, &report.record).map(str::to_owned),
            title: title.clone(),
            msg: msg.as_ref().map(cut),
            age_ms: millis(report.age),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use vt::ProgramState;

    use super::*;

    fn report(id: &str, state: ProgramState) -> AgedReport {
        let record = StatusRecord { id: id.into(), msg: Some("m".repeat(500)), ..StatusRecord::new(state) };
        AgedReport { record: Arc::new(record), age: Duration::from_millis(7) }
    }

    #[test]
    fn a_list_tells_what_matters_most_and_a_status_tells_all() {
        let mut reports: Vec<AgedReport> =
            (0..20).map(|index| report(&format!("part{index:02}"), ProgramState::Idle)).collect();
        reports.push(report("zz", ProgramState::Blocked));
        reports.push(report("", ProgramState::Working));
        let listed = ProgramReport::listed(&reports);
        assert_eq!(listed.len(), MAX_LISTED);
        let ends = [listed.first(), listed.last()].map(|report| report.expect("there are some").id.as_str());
        assert_eq!(ends, ["", "zz"]);
        assert_eq!(listed[0].msg.as_ref().map(|msg| msg.chars().count()), Some(MAX_LISTED_MSG + 1));
        let all = ProgramReport::all(&reports);
        assert_eq!((all.len(), all[0].msg.as_ref().map(String::len), all[0].age_ms), (22, Some(500), 7));
    }
}
