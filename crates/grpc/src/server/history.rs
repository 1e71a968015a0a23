//! GetHistory: the screen, and the lines above it.

use std::sync::Arc;

use engine::{Session, VersionedFrame};
use ops::{ErrorKind, OpError, operations::MAX_REPLY_BYTES};
use prost::Message;
use tokio::sync::Semaphore;
use vt::{Line, Terminal, Theme};

use crate::{
    convert::{self, count},
    proto::{GetHistoryRequest, GetHistoryResponse, HistoryLine},
};

const DEFAULT_LINES: u32 = 10_000;
/// Bytes copied before the lock is released: some 0.1 ms, so that a flooding child is not held up. Lines may be short
/// or long, and a child may give each cell its own style; the last line may exceed the limit by a millisecond.
const LINES_PER_LOCK: usize = 256;
const RUNS_PER_LOCK: usize = 4 << 10;
const BYTES_PER_LOCK: usize = 128 << 10;

/// A message of a few megabytes is made from ten times as much, so the number made simultaneously is limited. Further
/// calls wait; a permit is returned when the lines are copied.
const READS_AT_ONCE: usize = 2;

/// Permits for reading histories of any session. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct HistoryReads(Arc<Semaphore>);

impl Default for HistoryReads {
    fn default() -> Self {
        HistoryReads(Arc::new(Semaphore::new(READS_AT_ONCE)))
    }
}

impl HistoryReads {
    /// A full history takes tens of milliseconds: too long to block other calls.
    pub(super) async fn read(
        &self,
        session: Session,
        request: GetHistoryRequest,
    ) -> Result<GetHistoryResponse, OpError> {
        let wanted = WantedLines::of(&request)?;
        let broken =
            |_| OpError::new(ErrorKind::Internal, "the reading of history was broken off").with_hint("try again");
        let place = Arc::clone(&self.0).acquire_owned().await.expect("nobody closes the semaphore");
        let (session, answer) = tokio::task::spawn_blocking(move || {
            // Held by the blocking work itself, which continues after the call is cancelled.
            let _place = place;
            let answer = copy(&session, &wanted);
            (session, answer)
        })
        .await
        .map_err(broken)?;
        session.note_freed_soon(answer.encoded_len());
        Ok(answer)
    }
}

struct WantedLines {
    lines: u64,
    bytes: usize,
    before: Option<u64>,
}

impl WantedLines {
    fn of(request: &GetHistoryRequest) -> Result<Self, OpError> {
        let given = |value| if value == 0 { None } else { Some(value) };
        let lines = given(count("max_lines", request.max_lines)?).unwrap_or(DEFAULT_LINES);
        let bytes = given(count("max_bytes", request.max_bytes)?).map_or(MAX_REPLY_BYTES, |bytes| bytes as usize);
        Ok(WantedLines { lines: lines.into(), bytes: bytes.min(MAX_REPLY_BYTES), before: request.before })
    }
}

fn copy(session: &Session, wanted: &WantedLines) -> GetHistoryResponse {
    let (frame, open) = session.frame_with_open_line();
    let kept = session.with_screen(|screen| screen.lines().start);
    let theme = &frame.frame.theme;
    // Numbers never change, so lines above this frame can be read piece by piece while the child prints.
    let end = frame.frame.first_line.min(wanted.before.unwrap_or(u64::MAX));
    let oldest = end.saturating_sub(wanted.lines).max(kept);
    let open = open.filter(|_| wanted.before.is_none()).map(|line| fitting(&line, theme, wanted.bytes));
    let mut room = wanted.bytes.saturating_sub(open.as_ref().map_or(0, Message::encoded_len));
    let mut lines: Vec<HistoryLine> = Vec::new();
    let mut first_line = end;
    'pieces: while first_line > oldest {
        let piece = session.with_screen(|screen| piece(screen, oldest, first_line));
        if piece.is_empty() {
            // Older lines have been dropped meanwhile.
            break;
        }
        for line in &piece {
            let line = if lines.is_empty() { fitting(line, theme, room) } else { convert::history_line(line, theme) };
            let bytes = line.encoded_len();
            if bytes > room && !lines.is_empty() {
                break 'pieces;
            }
            room = room.saturating_sub(bytes);
            first_line -= 1;
            lines.push(line);
        }
    }
    lines.reverse();
    GetHistoryResponse {
        lines,
        first_line,
        more: first_line > kept,
        screen: Some(screen(session, &frame)),
        open_line: open,
    }
}

/// The line, without its links if it does not fit with them: a child may repeat an address of four kilobytes in every
/// cell.
fn fitting(line: &Line, theme: &Theme, room: usize) -> HistoryLine {
    let mut line = convert::history_line(line, theme);
    if line.encoded_len() > room {
        line.runs.iter_mut().for_each(|run| run.link.clear());
    }
    line
}

/// The lines before `end` down to `oldest`, newest first: as many as are copied under one lock.
fn piece(screen: &Terminal, oldest: u64, end: u64) -> Vec<Line> {
    let mut piece = Vec::new();
    let (mut runs, mut bytes) = (0, 0);
    for line in (oldest..end).rev().map_while(|number| screen.history_line(number)) {
        runs += line.runs().len();
        bytes += line.text().len();
        piece.push(line);
        if piece.len() >= LINES_PER_LOCK || runs >= RUNS_PER_LOCK || bytes >= BYTES_PER_LOCK {
            break;
        }
    }
    piece
}

fn screen(session: &Session, frame: &VersionedFrame) -> crate::proto::Frame {
    crate::proto::Frame {
        name: session.name().map(|name| name.to_string()).unwrap_or_default(),
        id: session.id().to_string(),
        ..convert::frame_update(frame, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_so_many_answers_are_made_at_once() {
        let engine = engine::Engine::new(engine::EngineOptions::default());
        let argv = testkit::Script::new().print("there\n").hang().argv();
        let session = engine.spawn(engine::NewSession::new(engine::Kind::Command, argv)).await.unwrap();
        testkit::line(&session, "there").await;
        let reads = HistoryReads::default();
        let places = u32::try_from(READS_AT_ONCE).unwrap();
        let others = Arc::clone(&reads.0).acquire_many_owned(places).await.unwrap();
        let mut reading = Box::pin(reads.read(session.clone(), GetHistoryRequest::default()));
        assert!(futures_util::FutureExt::now_or_never(&mut reading).is_none());
        assert!(reads.0.try_acquire().is_err(), "nobody has begun beyond the places that there are");
        drop(others);
        testkit::soon("there is a place again", reading).await.unwrap();
        // Given back with the lines, not with the answer.
        drop(testkit::soon("all places are free", reads.0.acquire_many(places)).await.unwrap());
        engine.shutdown(std::time::Duration::ZERO).await;
    }

    #[test]
    fn what_is_copied_under_one_lock_is_bounded() {
        let mut screen = Terminal::new(vt::TerminalOptions::default());
        // Long lines with a link per cell, short ones of one style each, and one long plain one.
        let links: String = (0..40_000).map(|n| format!("\x1b]8;;u:{n}\x1b\\x")).collect();
        for text in [&links, "\x1b]8;;\x1b\\\r\n", &"short\r\n".repeat(2000), &"y".repeat(300_000), "\r\n", &links] {
            screen.feed(text.as_bytes());
        }
        let (oldest, mut end) = (screen.lines().start, screen.first_screen_line());
        let (mut pieces, mut read) = (0, 0);
        while end > oldest {
            let piece = piece(&screen, oldest, end);
            let all_but_last = &piece[..piece.len() - 1];
            assert!(piece.len() <= LINES_PER_LOCK);
            assert!(all_but_last.iter().map(|line| line.runs().len()).sum::<usize>() < RUNS_PER_LOCK);
            assert!(all_but_last.iter().map(|line| line.text().len()).sum::<usize>() < BYTES_PER_LOCK);
            // vt's own limit for a line, with a run for each of its cells.
            assert!(piece.iter().all(|line| line.runs().len() <= 32 << 10));
            end -= piece.len() as u64;
            read += piece.len();
            pieces += 1;
        }
        assert!(pieces > 10 && read > 2000, "{read} lines in {pieces} pieces");
    }
}
