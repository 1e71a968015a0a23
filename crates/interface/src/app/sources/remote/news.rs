//! What coordinators and the tasks of their sessions report to the loop.

use engine::SessionId;
use fleet::RosterReport;

/// Reported through one bounded channel: a coordinator that talks faster than the loop listens has to wait.
#[derive(Debug)]
pub(crate) enum RemoteEvent {
    /// A coordinator's list, or that it came or went.
    Roster(RosterReport),
    /// An opened session, by its id here.
    Session(SessionId, RemoteNews),
}

impl From<RosterReport> for RemoteEvent {
    fn from(report: RosterReport) -> Self {
        RemoteEvent::Roster(report)
    }
}

/// What the loop should tell the person, or only draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RemoteNews {
    /// Its name, its end, or what its program reports.
    Changed,
    /// The connection broke; what was typed in the last so many seconds may be lost.
    Lost {
        why: String,
        typed_for: Option<u64>,
    },
    Back,
    Gone(String),
    /// The coordinator does not answer, and what is typed waits for it.
    Silent,
    Refused(String),
}
