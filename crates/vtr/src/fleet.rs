//! Speaking to coordinators: one, or all side by side with a time limit each.

use grpc::{
    client::Client,
    proto::{InfoRequest, ListRequest, ListResponse, Session, VersionResponse},
};
use tokio::task::JoinSet;

use crate::{
    coordinators::{Address, Coordinator},
    failure::{Exit, Failure},
    wire,
};

/// A coordinator that answered.
#[derive(Debug)]
pub(crate) struct Reached {
    pub(crate) coordinator: Coordinator,
    pub(crate) client: Client,
}

/// Why one did not answer, for people.
pub(crate) type Silence = String;

/// Connects, and has it say its version: a socket that accepts is not yet a coordinator that answers.
pub(crate) async fn reach(coordinator: &Coordinator) -> Result<Reached, Silence> {
    match grpc::client::connect_within(&coordinator.endpoint, coordinator.timeout).await {
        Ok(client) => Ok(Reached { coordinator: coordinator.clone(), client }),
        Err(error) => Err(error.to_string()),
    }
}

/// The version of each, in the order asked.
pub(crate) async fn versions(known: &[Coordinator]) -> Vec<(Coordinator, Result<VersionResponse, Silence>)> {
    side_by_side(known, |reached| async move { Ok(reached.client.server().cloned().unwrap_or_default()) }).await
}

/// The sessions of each, in the order asked.
pub(crate) async fn list_all(known: &[Coordinator]) -> Vec<(Coordinator, Result<ListResponse, Silence>)> {
    side_by_side(known, |reached| async move {
        let answer = reached.client.vtr().list(ListRequest::default()).await;
        answer.map(tonic::Response::into_inner).map_err(|status| wire::silence(&status))
    })
    .await
}

/// Asks each after it was reached, all at once; reaching and asking share each one's time.
async fn side_by_side<T, F, Asked>(known: &[Coordinator], ask: F) -> Vec<(Coordinator, Result<T, Silence>)>
where
    T: Send + 'static,
    F: Fn(Reached) -> Asked + Clone + Send + Sync + 'static,
    Asked: Future<Output = Result<T, Silence>> + Send,
{
    let mut asked = JoinSet::new();
    for (number, coordinator) in known.iter().cloned().enumerate() {
        let ask = ask.clone();
        asked.spawn(async move {
            let asking = async { ask(reach(&coordinator).await?).await };
            let answer = tokio::time::timeout(coordinator.timeout, asking).await.unwrap_or_else(|_| {
                Err(format!("no answer within {}", humantime::format_duration(coordinator.timeout)))
            });
            (number, coordinator, answer)
        });
    }
    let mut answers = asked.join_all().await;
    answers.sort_by_key(|(number, ..)| *number);
    answers.into_iter().map(|(_, coordinator, answer)| (coordinator, answer)).collect()
}

/// Who has a session of this name.
#[derive(Debug)]
pub(crate) struct Search {
    pub(crate) found: Vec<(Reached, Session)>,
    pub(crate) silent: Vec<(Coordinator, Silence)>,
}

pub(crate) async fn search(known: &[Coordinator], session: &str) -> Search {
    let wanted = session.to_owned();
    let answers = side_by_side(known, move |reached| {
        let name = wanted.clone();
        async move {
            match reached.client.vtr().info(InfoRequest { name }).await {
                Ok(answer) => Ok(Some((reached, answer.into_inner().session.unwrap_or_default()))),
                Err(status) if status.code() == tonic::Code::NotFound => Ok(None),
                Err(status) => Err(wire::silence(&status)),
            }
        }
    })
    .await;
    let mut search = Search { found: Vec::new(), silent: Vec::new() };
    for (coordinator, answer) in answers {
        match answer {
            Ok(found) => search.found.extend(found),
            Err(silence) => search.silent.push((coordinator, silence)),
        }
    }
    search
}

/// Says what to do when a name is nowhere, or in several places.
pub(crate) fn only_one(address: &Address, mut search: Search, asked: usize) -> Result<(Reached, Session), Failure> {
    let session = &address.session;
    if search.found.len() > 1 {
        let candidates = search
            .found
            .iter()
            .map(|(reached, found)| format!("{}:{}", reached.coordinator.name, found.name))
            .collect();
        return Err(Failure::new(
            Exit::Usage,
            "ambiguous",
            format!("several coordinators have a session {session:?}:"),
        )
        .with_candidates(candidates)
        .with_hint("write one of these, or give --socket PATH"));
    }
    match search.found.pop() {
        Some(found) => Ok(found),
        None if search.silent.len() == asked => Err(Failure::unreachable("no coordinator answered")
            .with_hint("see `vtr config resolve`, or start one with `vtr serve --daemon`")),
        None => {
            let unsure = if search.silent.is_empty() { "" } else { ", as far as they answered" };
            Err(Failure::not_found(format!("no session {session:?} on {asked} coordinators{unsure}"))
                .with_hint("`vtr ls` lists what there is"))
        }
    }
}
