//! Coordinators' answers, as the command line shows them to people and programs.

use std::time::Duration;

use fleet::Coordinator;
use grpc::proto::{self, SessionStatus};
use serde::Serialize;

/// A session as JSON. Keys are only ever added.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SessionJson {
    pub(crate) coordinator: String,
    pub(crate) name: String,
    pub(crate) id: String,
    /// `running` or `exited`.
    pub(crate) status: &'static str,
    /// In detail: starting, running, stopped, exited or errored.
    pub(crate) state: String,
    pub(crate) kind: String,
    pub(crate) cols: i32,
    pub(crate) rows: i32,
    pub(crate) created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) started_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) exited_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) signal: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pid: Option<i32>,
    pub(crate) idle_ms: u64,
    pub(crate) title: String,
    pub(crate) argv: Vec<String>,
    pub(crate) working_dir: String,
    pub(crate) owner: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) parent_id: Option<String>,
    pub(crate) screen_version: u64,
    pub(crate) alternate_screen: bool,
    /// The number of current waits, subscriptions and attached clients.
    pub(crate) watchers: i32,
    /// What its program reports of its own work (OSC 7501).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) reports: Vec<ReportJson>,
}

/// A program's report as JSON. Keys are only ever added.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ReportJson {
    /// The part of the work; left out for the whole.
    #[serde(skip_serializing_if = "String::is_empty")]
    id: String,
    state: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<u32>,
    #[serde(skip_serializing_if = "String::is_empty")]
    app: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    title: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    msg: String,
    age_ms: u64,
}

impl ReportJson {
    fn of(report: proto::ProgramReport) -> Self {
        let proto::ProgramReport { id, state, kind, progress, app, title, msg, age } = report;
        ReportJson { id, state, kind, progress, app, title, msg, age_ms: age.map_or(0, millis) }
    }

    /// `deploy/eu-west: blocked (permission) 40%: Apply 3 to add?`, at most `max` characters.
    pub(crate) fn text(&self, max: usize) -> String {
        let label = [&self.title, &self.id, &self.app].into_iter().find(|label| !label.is_empty());
        let mut text = label.map(|label| format!("{label}: ")).unwrap_or_default();
        text.push_str(&self.state);
        if !self.kind.is_empty() {
            text.push_str(&format!(" ({})", self.kind));
        }
        if let Some(progress) = self.progress {
            text.push_str(&format!(" {progress}%"));
        }
        if !self.msg.is_empty() {
            text.push_str(&format!(": {}", self.msg));
        }
        match text.char_indices().nth(max) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    }

    /// In `vt`'s order of urgency: waiting for a person comes first.
    fn urgency(&self) -> Option<u8> {
        let state = vt::ProgramState::ALL.into_iter().find(|state| state.as_str() == self.state);
        state.map(vt::ProgramState::urgency)
    }
}

impl SessionJson {
    pub(crate) fn of(session: proto::Session, coordinator: &Coordinator) -> Self {
        let exited = session.status() == SessionStatus::Exited;
        let some = |text: String| (!text.is_empty()).then_some(text);
        let signal = some(session.signal);
        // A session that never ran has neither.
        let ran = session.state != "errored";
        SessionJson {
            coordinator: coordinator.name.clone(),
            status: if exited { "exited" } else { "running" },
            exit_code: (exited && ran && signal.is_none()).then_some(session.exit_code),
            created_at: session.created_at.map(rfc3339).unwrap_or_default(),
            started_at: session.started_at.map(rfc3339),
            exited_at: session.exited_at.map(rfc3339),
            pid: (session.pid != 0).then_some(session.pid),
            idle_ms: session.idle.map_or(0, millis),
            parent_id: some(session.parent_id),
            signal,
            name: session.name,
            id: session.id,
            state: session.state,
            kind: session.kind,
            cols: session.cols,
            rows: session.rows,
            title: session.title,
            argv: session.argv,
            working_dir: session.working_dir,
            owner: session.owner,
            screen_version: session.screen_version,
            alternate_screen: session.alternate_screen,
            watchers: session.watchers,
            reports: session.reports.into_iter().map(ReportJson::of).collect(),
        }
    }

    /// The most urgent report, and the number of further ones, short enough for a table.
    pub(crate) fn report_text(&self) -> String {
        const MAX: usize = 60;
        // The whole comes first and its parts follow: among equals the first one wins.
        let leading = self.reports.iter().rev().max_by_key(|report| report.urgency());
        let Some(leading) = leading else { return String::new() };
        match self.reports.len() - 1 {
            0 => leading.text(MAX),
            more => format!("{} (+{more})", leading.text(MAX)),
        }
    }

    /// `running`, `exited(1)`, `exited(TERM)`.
    pub(crate) fn status_text(&self) -> String {
        let how = self.signal.clone().or(self.exit_code.map(|code| code.to_string()));
        match how {
            Some(how) => format!("{}({how})", self.status),
            None if self.state == "errored" => self.state.clone(),
            None => self.status.to_owned(),
        }
    }

    pub(crate) fn age_text(&self) -> String {
        let created: Option<jiff::Timestamp> = self.created_at.parse().ok();
        created
            .map(|created| crate::output::age(jiff::Timestamp::now().as_second() - created.as_second()))
            .unwrap_or_default()
    }
}

fn millis(duration: prost_types::Duration) -> u64 {
    duration.try_into().map_or(0, |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}

pub(crate) fn rfc3339(time: prost_types::Timestamp) -> String {
    // Whole milliseconds: precise enough for people and sorting, and always the same length.
    let time = jiff::Timestamp::new(time.seconds, time.nanos).unwrap_or_default();
    format!("{time:.3}")
}

pub(crate) fn duration(duration: Duration) -> prost_types::Duration {
    prost_types::Duration::try_from(duration).unwrap_or(prost_types::Duration { seconds: i64::MAX / 1000, nanos: 0 })
}
