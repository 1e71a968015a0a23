//! The work of the programs in all sessions of all coordinators, summarised as one state and one line: what `vtr attach`
//! reports to its host terminal.

use fleet::is_running;
use program::printable;
use vt::ProgramState;

use super::RemoteSessions;

/// Names in one message.
const MAX_NAMES: usize = 5;

impl RemoteSessions {
    /// `own` is our application id: a report from another `vtr attach` inside a session is skipped, or it would be passed
    /// round in a circle.
    pub(in crate::app) fn summary(&self, own: &str) -> (ProgramState, String) {
        let mut leading: Option<(ProgramState, Vec<String>)> = None;
        for (_, session) in self.roster.all().filter(|(_, session)| is_running(session)) {
            for report in session.reports.iter().filter(|report| report.app != own) {
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
            Some((state, names)) => (state, printable(&names.join(", "))),
        }
    }
}
