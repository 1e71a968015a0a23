//! `vtr ls`

use std::time::Duration;

use fleet::{coordinators, reach};
use program::{Exit, Failure, Outcome};
use serde::Serialize;

use crate::{
    invocation::Invocation,
    output::{TableColumns, UnreachableCoordinator},
    wire::SessionJson,
};

/// List the sessions of all coordinators
#[derive(Debug, clap::Args)]
pub(crate) struct LsArgs {}

#[derive(Serialize)]
struct Reply<'a> {
    sessions: &'a [SessionJson],
    unreachable: &'a [UnreachableCoordinator],
}

/// Coordinators that answer later get their rows later: a slow or dead host does not delay the others' rows.
const PROMPT: Duration = Duration::from_millis(500);

impl LsArgs {
    pub(crate) async fn run(self, invocation: &mut Invocation) -> Outcome {
        let known = invocation.coordinators()?;
        if known.is_empty() {
            return Err(coordinators::none());
        }
        let mut columns = TableColumns::new(["COORDINATOR", "SESSION", "STATUS", "COLSxROWS", "AGE", "REPORT"]);
        let mut answers = reach::list(&known);
        let (mut all, mut silent, mut notices) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            let patience = if invocation.output.json { Duration::MAX } else { PROMPT };
            let part = answers.within(patience).await;
            if part.is_empty() {
                break;
            }
            if let ([_], [(_, Err(silence))]) = (known.as_slice(), part.as_slice()) {
                return Err(Failure::unreachable(silence.to_string()));
            }
            let heard = part.iter().any(|(_, answer)| answer.is_ok());
            let mut sessions = Vec::new();
            for (coordinator, answer) in part {
                match answer {
                    Ok(answer) => {
                        if !answer.notice.is_empty() {
                            notices.push(format!("{}: {}", coordinator.name, program::printable(&answer.notice)));
                        }
                        let of = |session| SessionJson::of(session, &coordinator);
                        sessions.extend(answer.sessions.into_iter().map(of));
                    }
                    Err(silence) => silent.push((coordinator.name, silence)),
                }
            }
            sessions.sort_by(|a: &SessionJson, b| (&a.coordinator, &a.name).cmp(&(&b.coordinator, &b.name)));
            if heard && !invocation.output.json {
                invocation.output.table_part(&mut columns, sessions.iter().map(row).collect())?;
            }
            all.extend(sessions);
        }
        // Below the rows, where they are noticed.
        for (coordinator, silence) in silent {
            invocation.output.not_heard(&coordinator, &silence);
        }
        let unreachable = invocation.output.unreachable().to_vec();
        if unreachable.len() == known.len() {
            return Err(coordinators::silent());
        }
        if invocation.output.json {
            invocation.output.object(&Reply { sessions: &all, unreachable: &unreachable })?;
        }
        // Below the rows, where people look for a session that is missing in the list.
        notices.iter().for_each(|notice| invocation.output.warn(notice));
        Ok(Exit::Done)
    }
}

fn row(session: &SessionJson) -> [String; 6] {
    let size = format!("{}x{}", session.cols, session.rows);
    [
        session.coordinator.clone(),
        session.name.clone(),
        session.status_text(),
        size,
        session.age_text(),
        session.report_text(),
    ]
}
