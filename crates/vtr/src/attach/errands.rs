//! Requests to coordinators beside the stream: each runs as a task of its own and reports its result as news. Requests
//! that change something are [`ChangeCall`]s, which are created in a single place, where we know that changes are
//! allowed.

use std::{
    pin::pin,
    time::{Duration, Instant},
};

use fleet::{Coordinator, LinkNumber, reach, refusal};
use grpc::{
    client::CoordinatorClient,
    proto::{
        GetHistoryRequest, InfoRequest, KillRequest, ListRequest, RecordAction, RecordRequest, RemoveRequest,
        RenameRequest, SpawnRequest,
    },
};

use super::{
    app::EndChoice,
    news::{AttachNews, Sender},
};

/// The time limit of an answer that costs a coordinator nothing: if it takes longer, the coordinator or the connection
/// hangs.
const SIGN_OF_LIFE: Duration = Duration::from_secs(2);

/// Which coordinator to ask, and where to report.
#[derive(Clone, Debug)]
pub(crate) struct BackgroundCall {
    pub(crate) coordinator: Coordinator,
    pub(crate) client: Option<CoordinatorClient>,
    pub(crate) news: Sender,
}

impl BackgroundCall {
    /// Runs `ask`, and reports its result or its failure.
    fn run<F, Asked>(self, ask: F)
    where
        F: FnOnce(CoordinatorClient) -> Asked + Send + 'static,
        Asked: Future<Output = Result<AttachNews, tonic::Status>> + Send,
    {
        tokio::spawn(async move {
            let limit = self.coordinator.timeout;
            let work = async {
                let client = match self.client {
                    Some(client) => client,
                    None => reach::reach(&self.coordinator).await.map_err(|silence| silence.to_string())?.client,
                };
                ask(client).await.map_err(|status| refusal::failure(&status, &self.coordinator).message)
            };
            let done = tokio::time::timeout(limit, work).await.unwrap_or_else(|_| Err("no answer in time".into()));
            // If this fails, the program is ending and needs no report.
            let _ = self.news.send(done.unwrap_or_else(AttachNews::Failed)).await;
        });
    }

    /// Requests the facts beside the screen. A failure is not reported: the link notices it too, and says so. Returns
    /// false if there is no connection to ask on.
    pub(crate) fn info(self, link: LinkNumber, name: String) -> bool {
        let BackgroundCall { client: Some(client), news, .. } = self else { return false };
        let asked = Instant::now();
        tokio::spawn(async move {
            let mut vtr = client.vtr();
            let mut asking = pin!(vtr.info(InfoRequest { name }));
            let answer = match tokio::time::timeout(SIGN_OF_LIFE, &mut asking).await {
                Ok(answer) => answer,
                Err(_) => {
                    let _ = news.send(AttachNews::Unanswered(link, asked)).await;
                    // A dead connection ends this too.
                    asking.await
                }
            };
            if let Ok(answer) = answer {
                let session = answer.into_inner().session.unwrap_or_default();
                let _ = news.send(AttachNews::Info(link, asked, Box::new(session))).await;
            }
        });
        true
    }

    pub(crate) fn history(self, link: LinkNumber, name: String) {
        self.run(async move |client| {
            let answer = client.vtr().get_history(GetHistoryRequest { name, ..Default::default() }).await?;
            Ok(AttachNews::History(link, Box::new(answer.into_inner())))
        });
    }
}

/// A request for a change. There is none when attached read-only.
#[derive(Clone, Debug)]
pub(crate) struct ChangeCall(BackgroundCall);

impl ChangeCall {
    /// The caller has checked that changes are allowed.
    pub(crate) fn of(errand: BackgroundCall) -> Self {
        ChangeCall(errand)
    }

    pub(crate) fn kill(self, link: LinkNumber, name: String, signal: EndChoice) {
        self.0.run(async move |client| {
            client.vtr().kill(KillRequest { name, signal: signal.name().to_owned(), ..KillRequest::default() }).await?;
            Ok(AttachNews::ToldToEnd(link, signal))
        });
    }

    pub(crate) fn remove(self, name: String, shown: String) {
        self.0.run(async move |client| {
            client.vtr().remove(RemoveRequest { name }).await?;
            Ok(AttachNews::Done(format!("removed {shown}")))
        });
    }

    pub(crate) fn rename(self, name: String, new_name: String) {
        self.0.run(async move |client| {
            let words = format!("renamed to {new_name}");
            client.vtr().rename(RenameRequest { name, new_name }).await?;
            Ok(AttachNews::Done(words))
        });
    }

    pub(crate) fn create(self, place: usize, name: String, size: vt::Size) {
        self.0.run(async move |client| {
            let request =
                SpawnRequest { name, cols: size.cols.into(), rows: size.rows.into(), ..SpawnRequest::default() };
            let answer = client.vtr().spawn(request).await?.into_inner();
            Ok(AttachNews::Created(place, Box::new(answer.session.unwrap_or_default())))
        });
    }

    pub(crate) fn record(self, name: String, start: bool) {
        self.0.run(async move |client| {
            let action = if start { RecordAction::Start } else { RecordAction::Stop };
            let request = RecordRequest { name, action: action.into(), ..RecordRequest::default() };
            let answer = client.vtr().record(request).await?.into_inner();
            let state = if answer.recording { "recording to" } else { "recorded to" };
            Ok(AttachNews::Done(format!("{state} {}", answer.file)))
        });
    }
}

/// The sessions of all coordinators that answer, in the roster's order.
pub(crate) fn versions(members: Vec<(usize, CoordinatorClient)>, news: Sender) {
    tokio::spawn(async move {
        let mut all = Vec::new();
        for (place, client) in members {
            if let Ok(answer) = client.vtr().list(ListRequest::default()).await {
                all.extend(answer.into_inner().sessions.into_iter().map(|session| (place, session)));
            }
        }
        let _ = news.send(AttachNews::Versions(all)).await;
    });
}
