//! GetHistory: the screen, and the lines above it.

use engine::{Session, VersionedFrame};
use ops::{OpError, operations::MAX_REPLY_BYTES};
use prost::Message;

use crate::{
    convert::{self, count},
    proto::{GetHistoryRequest, GetHistoryResponse, HistoryLine},
};

const DEFAULT_LINES: u32 = 10_000;
/// Lines copied under one lock: some 0.1 ms, so that a flooding child is not held up.
const LINES_PER_LOCK: u64 = 256;

pub(super) fn read(session: &Session, request: &GetHistoryRequest) -> Result<GetHistoryResponse, OpError> {
    let wanted = match count("max_lines", request.max_lines)? {
        0 => DEFAULT_LINES,
        given => given,
    };
    let (frame, open) = session.frame_with_open_line();
    let kept = session.with_screen(|screen| screen.lines().start);
    // Numbers never change, so lines above this very picture can be read piece by piece while the child prints on.
    let end = frame.frame.first_line.min(request.before.unwrap_or(u64::MAX));
    let oldest = end.saturating_sub(u64::from(wanted)).max(kept);
    let mut lines: Vec<HistoryLine> = Vec::new();
    let mut bytes = 0;
    let mut first_line = end;
    while first_line > oldest && bytes < MAX_REPLY_BYTES {
        let from = first_line.saturating_sub(LINES_PER_LOCK).max(oldest);
        let piece: Vec<vt::Line> = session
            .with_screen(|screen| (from..first_line).rev().map_while(|number| screen.history_line(number)).collect());
        let whole = piece.len() as u64 == first_line - from;
        for line in &piece {
            let line = convert::history_line(line, &frame.frame.theme);
            bytes += line.encoded_len();
            if bytes >= MAX_REPLY_BYTES {
                break;
            }
            first_line -= 1;
            lines.push(line);
        }
        if !whole {
            // What was above has been given up meanwhile.
            break;
        }
    }
    lines.reverse();
    let open = open.filter(|_| request.before.is_none());
    Ok(GetHistoryResponse {
        lines,
        first_line,
        more: first_line > kept,
        screen: Some(screen(session, &frame)),
        open_line: open.map(|line| convert::history_line(&line, &frame.frame.theme)),
    })
}

fn screen(session: &Session, frame: &VersionedFrame) -> crate::proto::Frame {
    crate::proto::Frame {
        name: session.name().map(|name| name.to_string()).unwrap_or_default(),
        id: session.id().to_string(),
        ..convert::frame_update(frame, None)
    }
}
