//! The text of a coordinator's session: fetched, kept for a moment, and searched here.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use engine::{FoundLine, MatchPlace, SearchRequest, SearchResult};
use fleet::{ScreenMirror, refusal};
use grpc::proto::{self, GetHistoryRequest, GetHistoryResponse};

use super::{RemoteSession, facts};
use crate::app::sources::{SessionText, SourceConnection};

/// How long a fetched text is kept: somebody who searches types the next letter within this time. While nobody looks at
/// a session, nothing tells that its text has changed.
const KEPT: Duration = Duration::from_secs(5);
/// The highest number that a line may have: a coordinator's number is added to.
const MAX_LINE: u64 = u64::MAX / 2;

/// The text that was fetched last.
#[derive(Debug)]
pub(super) struct KeptText {
    /// The version of the pulse when it was asked for.
    version: u64,
    until: Instant,
    text: SessionText,
}

impl KeptText {
    pub(super) fn until(&self) -> Instant {
        self.until
    }
}

impl RemoteSession {
    /// The text as of now, or as it was a moment ago if nothing was drawn since.
    pub(super) async fn current_text(&self) -> Result<SessionText, String> {
        let version = self.pulse.borrow().version;
        let now = Instant::now();
        if let Some(kept) = &self.state().text
            && kept.version == version
            && now < kept.until
        {
            return Ok(kept.text.clone());
        }
        let text = self.fetch().await?;
        self.state().text = Some(KeptText { version, until: Instant::now() + KEPT, text: text.clone() });
        // Somebody has to let go of it.
        self.stirred.notify_one();
        Ok(text)
    }

    async fn fetch(&self) -> Result<SessionText, String> {
        if matches!(self.state().connection, SourceConnection::Lost(_) | SourceConnection::Silent) {
            return Err("there is no connection to its coordinator".to_owned());
        }
        let asking = async {
            let client = self.client().await?;
            let request = GetHistoryRequest { name: self.there(), ..GetHistoryRequest::default() };
            let answer = client.vtr().get_history(request).await;
            answer.map_err(|status| facts::text(&refusal::failure(&status, &self.coordinator).message))
        };
        match tokio::time::timeout(self.coordinator.timeout, asking).await {
            Ok(answer) => session_text(answer?.into_inner()),
            Err(_) => Err("no answer in time".to_owned()),
        }
    }
}

fn session_text(answer: GetHistoryResponse) -> Result<SessionText, String> {
    let mut mirror = ScreenMirror::default();
    let mut line = |line: &proto::HistoryLine| Arc::new(mirror.line(&line.runs, false));
    let lines = answer.lines.iter().map(&mut line).collect();
    let open = answer.open_line.as_ref().map(line);
    mirror.apply(answer.screen.ok_or("the coordinator sent no screen")?);
    let frame = Arc::new(mirror.frame().expect("a frame was applied").clone());
    Ok(SessionText { first: answer.first_line.min(MAX_LINE), lines, open, frame })
}

/// All of it for an editor, without looks.
pub(super) fn plain(text: &SessionText) -> String {
    let SessionText { lines, open, frame, .. } = text;
    let mut plain: String = lines.iter().flat_map(|line| [line.trimmed(), "\n"]).collect();
    plain.extend(open.iter().map(|line| line.text()));
    plain + &frame.text()
}

pub(super) fn search(text: &SessionText, request: &SearchRequest) -> SearchResult {
    let numbered = text.lines.iter().zip(text.first..).map(|(line, number)| (MatchPlace::Line(number), line));
    let on_screen = text.frame.rows.iter().zip(0..).map(|(line, row)| (MatchPlace::Row(row), line));
    let mut found = numbered.chain(on_screen).filter(|(_, line)| request.pattern.is_match(line.trimmed()));
    let mut room = request.max_bytes;
    let mut matches: Vec<FoundLine> = Vec::new();
    for (place, line) in found.by_ref().take(request.limit) {
        let text = line.trimmed().to_owned();
        let Some(left) = room.checked_sub(text.len()) else {
            return SearchResult { matches, truncated: true };
        };
        room = left;
        matches.push(FoundLine { place, text, bytes: 0..0, before: Vec::new(), after: Vec::new() });
    }
    SearchResult { matches, truncated: found.next().is_some() }
}

#[cfg(test)]
mod tests {
    use engine::Pattern;

    use super::*;

    fn line(text: &str) -> proto::HistoryLine {
        let cols = text.chars().count() as u32;
        let run = proto::CellRun { text: text.into(), cols, ..proto::CellRun::default() };
        proto::HistoryLine { runs: vec![run] }
    }

    fn text(first_line: u64, lines: &[&str]) -> SessionText {
        let screen = Some(proto::Frame { cols: 10, rows: 2, ..proto::Frame::default() });
        let lines = lines.iter().map(|text| line(text)).collect();
        session_text(GetHistoryResponse { first_line, lines, screen, ..GetHistoryResponse::default() }).unwrap()
    }

    #[test]
    fn lines_are_numbered_as_the_coordinator_says_as_far_as_that_can_be() {
        let request = |limit, max_bytes| SearchRequest {
            pattern: Pattern::new("o").unwrap(),
            limit,
            before: 0,
            after: 0,
            max_bytes,
        };
        let found = search(&text(7, &["one", "two", "three"]), &request(9, 100));
        assert_eq!(found.matches.iter().map(|found| found.text.as_str()).collect::<Vec<_>>(), ["one", "two"]);
        assert!(matches!(found.matches[1].place, MatchPlace::Line(8)) && !found.truncated);
        assert!(search(&text(7, &["one", "two"]), &request(1, 100)).truncated, "there are more");
        assert_eq!(search(&text(7, &["one", "two"]), &request(9, 4)).matches.len(), 1, "no more bytes than asked for");
        let far = search(&text(u64::MAX, &["one", "two"]), &request(9, 100));
        assert_eq!(far.matches.len(), 2, "a number that can't be counted on from breaks nothing");
        assert_eq!(plain(&text(0, &["one", "two"])), "one\ntwo\n\n\n");
    }

    #[test]
    fn an_answer_without_a_screen_is_refused() {
        session_text(GetHistoryResponse::default()).unwrap_err();
    }
}
