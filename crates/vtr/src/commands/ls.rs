//! `vtr ls`

use serde::Serialize;

use crate::{
    failure::{Exit, Failure, Outcome},
    fleet,
    invocation::Invocation,
    output::Unreachable,
    wire::SessionJson,
};

/// List the sessions of all coordinators
#[derive(Debug, clap::Args)]
pub(crate) struct Ls {}

#[derive(Serialize)]
struct Reply<'a> {
    sessions: &'a [SessionJson],
    unreachable: &'a [Unreachable],
}

impl Ls {
    pub(crate) async fn run(self, invocation: &mut Invocation) -> Outcome {
        let known = invocation.coordinators()?;
        let answers = fleet::list_all(&known).await;
        if let [(_, Err(silence))] = answers.as_slice() {
            return Err(Failure::unreachable(silence.clone()));
        }
        let mut sessions = Vec::new();
        for (coordinator, answer) in answers {
            match answer {
                Ok(answer) => {
                    sessions.extend(answer.sessions.into_iter().map(|session| SessionJson::of(session, &coordinator)));
                }
                Err(silence) => invocation.output.not_heard(&coordinator.name, &silence),
            }
        }
        let unreachable = invocation.output.unreachable().to_vec();
        if !known.is_empty() && unreachable.len() == known.len() {
            return Err(Failure::unreachable("no coordinator answered")
                .with_hint("see `vtr config resolve`, or start one with `vtr serve --daemon`"));
        }
        if invocation.output.json {
            invocation.output.object(&Reply { sessions: &sessions, unreachable: &unreachable })?;
            return Ok(Exit::Done);
        }
        let rows = sessions.iter().map(|session| {
            let size = format!("{}x{}", session.cols, session.rows);
            [session.coordinator.clone(), session.name.clone(), session.status_text(), size, session.age_text()]
        });
        invocation.output.table(["COORDINATOR", "SESSION", "STATUS", "COLSxROWS", "AGE"], rows.collect())?;
        Ok(Exit::Done)
    }
}
