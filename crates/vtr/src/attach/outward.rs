//! What `vtr attach` reports to its host terminal: the work of the programs in all sessions, summarised as one.

use vt::ProgramState;

use fleet::{SessionRoster, is_running};

use super::news::AttachNews;

/// Names in one message.
const MAX_NAMES: usize = 5;

/// Our application id. A report from another `vtr attach` inside a shown session is skipped, or it would be passed
/// round in a circle.
pub(super) const APP: &str = "vtr";

pub(super) fn summary(roster: &SessionRoster<AttachNews>) -> (ProgramState, String) {
    let mut leading: Option<(ProgramState, Vec<String>)> = None;
    for (_, session) in roster.all().filter(|(_, session)| is_running(session)) {
        for report in session.reports.iter().filter(|report| report.app != APP) {
            let state = ProgramState::ALL.into_iter().find(|state| state.as_str() == report.state);
            let Some(state) = state else { continue };
            let said = match state {
                ProgramState::Blocked if !report.msg.is_empty() => format!("{}: {}", session.name, report.msg),
                _ => session.name.clone(),
            };
            match &mut leading {
                Some((known, names)) if *known == state => {
                    if names.len() < MAX_NAMES && !names.contains(&said) {
                        names.push(said);
                    }
                }
                Some((known, _)) if known.urgency() > state.urgency() => {}
                _ => leading = Some((state, vec![said])),
            }
        }
    }
    match leading {
        Some((ProgramState::Idle, _)) | None => (ProgramState::Idle, String::new()),
        Some((state, names)) => (state, names.join(", ")),
    }
}
