//! What is asked of coordinators beside the stream: each errand is a task of its own that tells its end as news.

use grpc::{
    client::Client,
    proto::{
        GetHistoryRequest, InfoRequest, KillRequest, ListRequest, RecordAction, RecordRequest, RemoveRequest,
        RenameRequest, SpawnRequest,
    },
};

use super::{
    link::LinkNumber,
    news::{News, Sender},
};
use crate::{coordinators::Coordinator, fleet, wire};

/// Whom to ask, and whom to tell.
#[derive(Clone, Debug)]
pub(crate) struct Errand {
    pub(crate) coordinator: Coordinator,
    pub(crate) client: Option<Client>,
    pub(crate) news: Sender,
}

impl Errand {
    /// Runs `ask`, and tells what it answers, or why it could not be done.
    fn run<F, Asked>(self, ask: F)
    where
        F: FnOnce(Client) -> Asked + Send + 'static,
        Asked: Future<Output = Result<News, tonic::Status>> + Send,
    {
        tokio::spawn(async move {
            let limit = self.coordinator.timeout;
            let work = async {
                let client = match self.client {
                    Some(client) => client,
                    None => fleet::reach(&self.coordinator).await?.client,
                };
                ask(client).await.map_err(|status| wire::failure(&status, &self.coordinator).message)
            };
            let done = tokio::time::timeout(limit, work).await.unwrap_or_else(|_| Err("no answer in time".into()));
            // Nobody to tell when the program ends.
            let _ = self.news.send(done.unwrap_or_else(News::Failed)).await;
        });
    }

    pub(crate) fn info(self, link: LinkNumber, name: String) {
        self.run(async move |client| {
            let answer = client.vtr().info(InfoRequest { name }).await?.into_inner();
            Ok(News::Info(link, Box::new(answer.session.unwrap_or_default())))
        });
    }

    pub(crate) fn history(self, link: LinkNumber, name: String) {
        self.run(async move |client| {
            let answer = client.vtr().get_history(GetHistoryRequest { name, ..Default::default() }).await?;
            Ok(News::History(link, Box::new(answer.into_inner())))
        });
    }

    pub(crate) fn kill(self, name: String, shown: String) {
        self.run(async move |client| {
            client.vtr().kill(KillRequest { name, signal: String::new() }).await?;
            Ok(News::Done(format!("told {shown} to end")))
        });
    }

    pub(crate) fn remove(self, name: String, shown: String) {
        self.run(async move |client| {
            client.vtr().remove(RemoveRequest { name }).await?;
            Ok(News::Done(format!("removed {shown}")))
        });
    }

    pub(crate) fn rename(self, name: String, new_name: String) {
        self.run(async move |client| {
            let words = format!("it is called {new_name} now");
            client.vtr().rename(RenameRequest { name, new_name }).await?;
            Ok(News::Done(words))
        });
    }

    pub(crate) fn create(self, place: usize, name: String, size: vt::Size) {
        self.run(async move |client| {
            let request =
                SpawnRequest { name, cols: size.cols.into(), rows: size.rows.into(), ..SpawnRequest::default() };
            let answer = client.vtr().spawn(request).await?.into_inner();
            Ok(News::Created(place, Box::new(answer.session.unwrap_or_default())))
        });
    }

    pub(crate) fn record(self, name: String, start: bool) {
        self.run(async move |client| {
            let action = if start { RecordAction::Start } else { RecordAction::Stop };
            let request = RecordRequest { name, action: action.into(), ..RecordRequest::default() };
            let answer = client.vtr().record(request).await?.into_inner();
            let state = if answer.recording { "recording to" } else { "recorded to" };
            Ok(News::Done(format!("{state} {}", answer.file)))
        });
    }
}

/// All sessions of those that answer, in the roster's order.
pub(crate) fn versions(members: Vec<(usize, Client)>, news: Sender) {
    tokio::spawn(async move {
        let mut all = Vec::new();
        for (place, client) in members {
            if let Ok(answer) = client.vtr().list(ListRequest::default()).await {
                all.extend(answer.into_inner().sessions.into_iter().map(|session| (place, session)));
            }
        }
        let _ = news.send(News::Versions(all)).await;
    });
}
