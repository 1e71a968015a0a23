//! Talks to coordinators: to one, or to all in parallel with a time limit each.

use std::{fmt, time::Duration};

use grpc::{
    client::CoordinatorClient,
    proto::{InfoRequest, ListRequest, ListResponse, Session, VersionResponse},
};
use program::{Exit, Failure};
use tokio::task::JoinSet;

use crate::{
    coordinators::{self, Coordinator},
    refusal,
};

/// A coordinator that answered.
#[derive(Clone, Debug)]
pub struct ReachedCoordinator {
    pub coordinator: Coordinator,
    pub client: CoordinatorClient,
}

/// Why a coordinator did not answer, for people. Shown in full when only one coordinator is concerned.
#[derive(Clone, Debug)]
pub struct CoordinatorSilence {
    whole: String,
    /// A short line, for a list of many.
    pub brief: String,
}

impl From<String> for CoordinatorSilence {
    fn from(reason: String) -> Self {
        CoordinatorSilence { brief: reason.lines().next().unwrap_or_default().to_owned(), whole: reason }
    }
}

impl fmt::Display for CoordinatorSilence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.whole)
    }
}

/// Connects, and asks for the version: a socket that accepts is not yet a coordinator that answers.
pub async fn reach(coordinator: &Coordinator) -> Result<ReachedCoordinator, CoordinatorSilence> {
    match grpc::client::connect_within(&coordinator.endpoint, coordinator.timeout).await {
        Ok(client) => Ok(ReachedCoordinator { coordinator: coordinator.clone(), client }),
        Err(error) => Err(CoordinatorSilence { whole: error.to_string(), brief: error.brief() }),
    }
}

/// The version of each, in the order given.
pub async fn versions(known: &[Coordinator]) -> Vec<(Coordinator, Result<VersionResponse, CoordinatorSilence>)> {
    ask(known, |reached| async move { Ok(reached.client.server().cloned().unwrap_or_default()) }).all().await
}

/// The sessions of each, in the order given.
pub async fn list_all(known: &[Coordinator]) -> Vec<(Coordinator, Result<ListResponse, CoordinatorSilence>)> {
    list(known).all().await
}

/// The sessions of each, in the order of their answers.
pub fn list(known: &[Coordinator]) -> FleetAnswers<ListResponse> {
    ask(known, |reached| async move {
        let answer = reached.client.vtr().list(ListRequest::default()).await;
        answer.map(tonic::Response::into_inner).map_err(|status| refusal::silence(&status).into())
    })
}

/// The answers of coordinators that were asked in parallel. Each has its own time limit.
#[derive(Debug)]
pub struct FleetAnswers<T>(JoinSet<(usize, Coordinator, Result<T, CoordinatorSilence>)>);

impl<T: Send + 'static> FleetAnswers<T> {
    /// In the order given.
    pub async fn all(&mut self) -> Vec<(Coordinator, Result<T, CoordinatorSilence>)> {
        self.within(Duration::MAX).await
    }

    /// The answers within this time, in the order given; empty when all have answered before.
    pub async fn within(&mut self, patience: Duration) -> Vec<(Coordinator, Result<T, CoordinatorSilence>)> {
        let mut answers = Vec::new();
        let over = tokio::time::sleep(patience);
        let mut over = std::pin::pin!(over);
        loop {
            tokio::select! {
                biased;
                answer = self.0.join_next() => match answer {
                    Some(answer) => answers.push(answer.expect("it neither panics nor is cancelled")),
                    None => break,
                },
                // At least one: an empty result would look like the end.
                () = &mut over, if !answers.is_empty() => break,
            }
        }
        answers.sort_by_key(|(number, ..)| *number);
        answers.into_iter().map(|(_, coordinator, answer)| (coordinator, answer)).collect()
    }
}

/// Connects to each and asks it, all in parallel; connecting and asking share one time limit.
fn ask<T, F, Asked>(known: &[Coordinator], ask: F) -> FleetAnswers<T>
where
    T: Send + 'static,
    F: Fn(ReachedCoordinator) -> Asked + Clone + Send + Sync + 'static,
    Asked: Future<Output = Result<T, CoordinatorSilence>> + Send,
{
    let mut asked = JoinSet::new();
    for (number, coordinator) in known.iter().cloned().enumerate() {
        let ask = ask.clone();
        asked.spawn(async move {
            let asking = async { ask(reach(&coordinator).await?).await };
            let answer = tokio::time::timeout(coordinator.timeout, asking).await.unwrap_or_else(|_| {
                Err(format!("no answer within {}", humantime::format_duration(coordinator.timeout)).into())
            });
            (number, coordinator, answer)
        });
    }
    FleetAnswers(asked)
}

/// The result of looking for sessions by name on all coordinators.
#[derive(Debug)]
pub struct SessionSearch {
    /// For each name, in the order given.
    pub found: Vec<Vec<(ReachedCoordinator, Session)>>,
    pub silent: Vec<(Coordinator, CoordinatorSilence)>,
}

/// Asks all of `known` for all names at once, so that a silent one is waited for only once.
pub async fn search(known: &[Coordinator], names: Vec<String>) -> SessionSearch {
    let mut search = SessionSearch { found: names.iter().map(|_| Vec::new()).collect(), silent: Vec::new() };
    let mut answers = ask(known, move |reached| {
        let names = names.clone();
        async move {
            let mut sessions = Vec::new();
            for name in names {
                sessions.push(match reached.client.vtr().info(InfoRequest { name }).await {
                    Ok(answer) => Some(answer.into_inner().session.unwrap_or_default()),
                    Err(status) if status.code() == tonic::Code::NotFound => None,
                    Err(status) => return Err(refusal::silence(&status).into()),
                });
            }
            Ok((reached, sessions))
        }
    });
    for (coordinator, answer) in answers.all().await {
        match answer {
            Ok((reached, sessions)) => {
                for (found, session) in search.found.iter_mut().zip(sessions) {
                    found.extend(session.map(|session| (reached.clone(), session)));
                }
            }
            Err(silence) => search.silent.push((coordinator, silence)),
        }
    }
    search
}

/// A session with a similar name, when the wanted one was found nowhere, with its coordinator.
pub async fn near(known: &[Coordinator], wanted: &str) -> Option<String> {
    let answers = list_all(known).await;
    let all = answers.iter().filter_map(|(coordinator, answer)| Some((&coordinator.name, answer.as_ref().ok()?)));
    let all: Vec<(&String, &str)> = all
        .flat_map(|(coordinator, answer)| answer.sessions.iter().map(move |session| (coordinator, &*session.name)))
        .collect();
    let name = engine::near_name(wanted, all.iter().map(|(_, name)| *name))?;
    let (coordinator, _) = all.iter().find(|(_, other)| *other == name)?;
    Some(format!("{coordinator}:{name}"))
}

/// Explains what to do when a name was found nowhere or in several places; `asked` coordinators were asked, `silent` of
/// them did not answer.
pub fn only_one(
    session: &str,
    mut found: Vec<(ReachedCoordinator, Session)>,
    silent: usize,
    asked: usize,
) -> Result<(ReachedCoordinator, Session), Failure> {
    if found.len() > 1 {
        let candidates =
            found.iter().map(|(reached, found)| format!("{}:{}", reached.coordinator.name, found.name)).collect();
        return Err(Failure::new(
            Exit::Usage,
            "ambiguous",
            format!("several coordinators have a session {session:?}:"),
        )
        .with_candidates(candidates)
        .with_hint("choose one of these, or give --socket PATH"));
    }
    match found.pop() {
        Some(found) => Ok(found),
        None if silent == asked => Err(coordinators::silent()),
        None => {
            let unsure = if silent == 0 { "" } else { " (some did not answer)" };
            Err(Failure::not_found(format!("no session {session:?} on {asked} coordinators{unsure}"))
                .with_hint("`vtr ls` lists all sessions"))
        }
    }
}
