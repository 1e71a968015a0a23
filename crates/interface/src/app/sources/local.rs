//! The sessions of this program's own engine.

use std::{ffi::OsString, path::PathBuf, sync::Arc};

use engine::{
    AgedReport, ExitStatus, Input, Kind, Origin, Owner, Pulse, SearchRequest, SearchResult, Session, SessionEvent,
    SessionId, Status,
};
use serde_json::Value;
use tokio::sync::{broadcast, watch};
use vt::{Frame, InputModes, Size, Theme};

use super::{RemoteStanding, SessionText, SourceCall, SourceSession};

/// The limit on lines of history to look back on: gathering these takes a few milliseconds.
const MAX_LINES: u64 = 50_000;

impl SourceSession for Session {
    fn id(&self) -> SessionId {
        self.id()
    }

    fn name(&self) -> Option<String> {
        self.name().map(|name| name.to_string())
    }

    fn kind(&self) -> Kind {
        self.kind()
    }

    fn parent(&self) -> Option<SessionId> {
        self.parent()
    }

    fn argv(&self) -> Vec<OsString> {
        self.info().argv
    }

    fn folder(&self) -> Option<PathBuf> {
        self.info().working_dir
    }

    fn foreground(&self) -> Option<String> {
        None
    }

    fn status(&self) -> Status {
        self.status()
    }

    fn exit(&self) -> Option<ExitStatus> {
        self.info().ending.and_then(|ending| ending.exit)
    }

    fn waits_for_start(&self) -> bool {
        self.run_number() == 0
    }

    fn owner(&self) -> Owner {
        self.owner()
    }

    fn reports(&self) -> Vec<AgedReport> {
        self.reports()
    }

    fn remote(&self) -> Option<RemoteStanding> {
        None
    }

    fn frame(&self) -> Arc<Frame> {
        self.frame().frame
    }

    fn screen_text(&self) -> String {
        self.grid_text().1
    }

    fn title(&self) -> String {
        self.with_screen(|screen| screen.title().to_owned())
    }

    fn input_modes(&self) -> InputModes {
        self.with_screen(|screen| screen.input_modes())
    }

    fn pulse(&self) -> watch::Receiver<Pulse> {
        self.pulse()
    }

    fn events(&self) -> broadcast::Receiver<SessionEvent> {
        self.events()
    }

    fn drawn(&self) {}

    fn send(&self, input: Input) -> Result<(), String> {
        self.send(input, Origin::Human).map(drop).map_err(|error| error.to_string())
    }

    fn release(&self) {
        self.release();
    }

    fn resize(&self, size: Size) -> bool {
        self.resize(size).is_ok()
    }

    fn set_theme(&self, theme: &Theme) {
        self.set_theme(theme.clone());
    }

    fn text(&self) -> Option<SessionText> {
        Some(self.with_screen(|screen| {
            let frame = screen.frame();
            let lines = if frame.alternate_screen { 0..0 } else { screen.lines() };
            let first = lines.start.max(screen.first_screen_line().saturating_sub(MAX_LINES));
            let history = (first..lines.end).map_while(|number| screen.history_line(number)).map(Arc::new).collect();
            SessionText { first, lines: history, open: screen.open_line().map(Arc::new), frame: Arc::new(frame) }
        }))
    }

    fn fetch_text(&self) -> Result<SessionText, String> {
        Ok(SourceSession::text(self).expect("the text of a session in this process is at hand"))
    }

    fn history_text(&self) -> Result<String, String> {
        Ok(self.with_screen(|screen| {
            let mut text = String::new();
            let lines = screen.lines();
            if screen.alternate_screen() {
                screen.grid_text(&mut text);
            } else {
                screen.lines_text(lines, &mut text);
            }
            text
        }))
    }

    fn search(&self, request: &SearchRequest) -> SearchResult {
        self.search(request)
    }

    fn call(&self, _: &str, _: &Value) -> Option<SourceCall> {
        None
    }
}
