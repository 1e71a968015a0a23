//! The state of the interface: what is shown and what has to be done. Layers read and change it.
//!
//! Layers have no side effects: they queue [`AttachAction`]s, and the loop performs them.

use std::time::{Duration, Instant};

use fleet::{AttachLink, LinkEvent, ScreenMirror, SessionRef, SessionRoster, UnansweredInput};
use grpc::proto::{self, AttachInput, Session, attach_request::Message};
use program::printable;
use tui::{Rect, SelectionUnit, Sign, Skin, widgets::Toast};
use vt::Position;

use super::{
    bindings::{LeaderBindings, LeaderCommand},
    news::AttachNews,
};

/// How long a notice stays, and the additional time for each character.
const NOTICE: Duration = Duration::from_secs(3);
const READING: Duration = Duration::from_millis(40);

/// The state of the session that is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ShownState {
    Connecting,
    Live,
    /// The connection is lost, and why.
    Lost(String),
    /// With its exit code or signal; empty if it has neither.
    Exited(String),
    /// The session no longer exists, and why.
    Gone(String),
}

/// The session that is shown.
#[derive(Debug)]
pub(crate) struct ShownSession {
    pub(crate) session: SessionRef,
    pub(crate) coordinator: String,
    pub(crate) name: String,
    pub(crate) link: AttachLink,
    pub(crate) mirror: ScreenMirror,
    pub(crate) state: ShownState,
    /// Its facts besides the screen, refreshed from time to time.
    pub(crate) info: Session,
    /// The version of a frame that was received and not drawn yet.
    pub(crate) to_acknowledge: Option<u64>,
    /// The session is gone, and another one has its name now.
    pub(crate) namesake: bool,
    pub(crate) unanswered: UnansweredInput,
    /// When its program was told to end, and how: afterwards we check whether it did.
    pub(crate) told_to_end: Option<(Instant, EndChoice)>,
}

impl ShownSession {
    /// Whether it is shown or being connected to.
    pub(crate) fn is_attached(&self) -> bool {
        matches!(self.state, ShownState::Connecting | ShownState::Live)
    }

    /// Whether the coordinator left typed keys and a question unanswered.
    pub(crate) fn is_silent(&self) -> bool {
        self.unanswered.is_told()
    }

    /// Whether an update changes nothing that is shown around the screen.
    pub(crate) fn changes_only_cells(&self, update: &proto::Frame) -> bool {
        // A full update may have another size.
        self.state == ShownState::Live
            && !update.whole
            && self.name == update.name
            && !self.is_silent()
            && self.mirror.about.title == update.title
    }
}

/// A session under the picker's cursor, shown without attaching as a writer.
#[derive(Debug)]
pub(crate) struct PickerPreview {
    pub(crate) link: AttachLink,
    pub(crate) mirror: ScreenMirror,
    pub(crate) to_acknowledge: Option<u64>,
}

/// What started looking back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LookBackCause {
    Keys,
    /// The wheel was turned by this many rows.
    Scroll(isize),
    /// The mouse was dragged from one cell of the host's screen to another.
    Drag(Position, Position),
    /// A double or triple click.
    Pick(Position, SelectionUnit),
}

/// How to tell a program to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndChoice {
    /// A polite request, which interactive shells ignore.
    Term,
    /// What closing a window sends; shells end.
    Hup,
    /// Can't be ignored.
    Kill,
}

impl EndChoice {
    pub(crate) fn name(self) -> &'static str {
        match self {
            EndChoice::Term => "TERM",
            EndChoice::Hup => "HUP",
            EndChoice::Kill => "KILL",
        }
    }
}

/// An action for the loop to perform.
#[derive(Debug)]
pub(crate) enum AttachAction {
    Detach,
    Show(SessionRef),
    Beside(isize),
    Unseen,
    Preview(Option<SessionRef>),
    LookBack(LookBackCause),
    Kill(EndChoice),
    Remove,
    Rename(String),
    Create {
        place: usize,
        name: String,
    },
    ToggleRecording,
    Copy(String),
    /// Check which coordinators exist now: sockets come and go.
    LookForCoordinators,
}

#[derive(Debug)]
pub(crate) struct AttachState {
    pub(crate) skin: Skin,
    pub(crate) bindings: LeaderBindings,
    pub(crate) area: Rect,
    pub(crate) framed: bool,
    pub(crate) read_only: bool,
    pub(crate) no_resize: bool,
    pub(crate) roster: SessionRoster<AttachNews>,
    pub(crate) shown: Option<ShownSession>,
    pub(crate) preview: Option<PickerPreview>,
    pub(crate) actions: Vec<AttachAction>,
    pub(crate) notices: Vec<(Toast, Instant)>,
    pub(crate) clock: String,
    pub(crate) leader_pending: bool,
    /// The last key went to the child and changed nothing here, so the next change is its echo.
    pub(crate) only_typed: bool,
    /// Border and status bar on the canvas are current, so an echo is drawn without them.
    pub(crate) frame_stands: bool,
    /// The left mouse button is held down on the pane.
    pub(crate) button_down: bool,
}

/// Which part of a screen larger than its pane is shown: the part around the cursor, if it is visible.
pub(crate) fn crop(frame: &vt::Frame, area: Rect) -> Position {
    if frame.cursor.visible { tui::PaneView::offset_for(frame, area) } else { Position::default() }
}

impl AttachState {
    /// Where the child's screen is drawn.
    pub(crate) fn pane(&self) -> Rect {
        if self.framed { self.area.split_bottom(1).0.inner(1, 1) } else { self.area }
    }

    pub(crate) fn notice(&mut self, text: impl Into<String>, sign: Sign) {
        let text = printable(&text.into());
        self.notices.retain(|(old, _)| old.text != text);
        let stay = NOTICE + READING * u32::try_from(text.chars().count()).unwrap_or(0);
        self.notices.push((Toast { text, sign }, Instant::now() + stay));
    }

    /// Whether changes are allowed; if not, shows a notice.
    pub(crate) fn may_change(&mut self) -> bool {
        if self.read_only {
            self.notice("attached read-only: changes are off", Sign::Blocked);
        }
        !self.read_only
    }

    /// Shows a notice, and returns true, when a program that was told to end is still running after its time.
    pub(crate) fn tell_what_still_runs(&mut self, now: Instant) -> bool {
        let Some(shown) = &mut self.shown else { return false };
        let Some((_, signal)) = shown.told_to_end.take_if(|(until, _)| *until <= now) else { return false };
        if shown.state != ShownState::Live {
            return false;
        }
        let rest = match signal {
            EndChoice::Term => "offers to hang up (HUP), which ends shells, and to force it (KILL)",
            EndChoice::Hup => "offers to force it (KILL)",
            EndChoice::Kill => "asks again; a process that survives KILL is stuck in the system",
        };
        let (name, signal, keys) = (shown.name.clone(), signal.name(), self.bindings.keys_of(LeaderCommand::Kill));
        self.notice(format!("{name} still runs: {signal} did not end it. {keys} {rest}"), Sign::Blocked);
        true
    }

    /// `a:name`, or only the name if there is one coordinator.
    pub(crate) fn address(&self, coordinator: &str, name: &str) -> String {
        if self.roster.members().len() > 1 { format!("{coordinator}:{name}") } else { name.to_owned() }
    }

    /// The cell of the child's screen at a position of the host's screen; `None` outside of the pane.
    pub(crate) fn cell_at(&self, at: Position) -> Option<Position> {
        let frame = self.shown.as_ref()?.mirror.frame()?;
        let pane = self.pane();
        let offset = crop(frame, pane);
        pane.contains(at).then(|| Position { row: at.row - pane.row + offset.row, col: at.col - pane.col + offset.col })
    }

    /// Types into the session that is shown, if possible; returns whether the input was accepted.
    pub(crate) fn send(&mut self, input: AttachInput) -> bool {
        let read_only = self.read_only;
        let Some(shown) = &mut self.shown else { return false };
        let refusal = match &shown.state {
            ShownState::Exited(_) | ShownState::Gone(_) => return false,
            _ if read_only => "attached read-only: typing is off",
            ShownState::Lost(_) => "not connected: this was not sent",
            // Input typed before the first frame is queued for the connection.
            ShownState::Connecting | ShownState::Live => {
                if shown.link.send(Message::Input(input)) {
                    shown.unanswered.sent(Instant::now());
                    return true;
                }
                "the connection is blocked: this was not sent"
            }
        };
        self.notice(refusal, Sign::Blocked);
        false
    }

    /// The coordinator has answered a question from this time.
    pub(crate) fn hear_answer(&mut self, asked: Instant) {
        if self.shown.as_mut().is_some_and(|shown| shown.unanswered.answered(asked)) {
            self.notice("it answers again", Sign::Running);
        }
    }

    /// The coordinator did not answer a question from this time.
    pub(crate) fn tell_silence(&mut self, asked: Instant) {
        let Some(shown) = &mut self.shown else { return };
        if !shown.unanswered.not_answered(asked) {
            return;
        }
        let text = format!("{} does not answer: input is queued for it, and lost if it ends", shown.coordinator);
        self.notice(text, Sign::Failed);
    }

    /// Applies an event of the shown session's link. Returns true if the session's bell rang.
    pub(crate) fn hear(&mut self, event: LinkEvent) -> bool {
        let Some(shown) = &mut self.shown else { return false };
        // The session list arrives by another stream, which may already have reported the removal.
        let gone = matches!(shown.state, ShownState::Gone(_));
        match event {
            LinkEvent::Frame(frame) => {
                let answers_again = shown.unanswered.frame();
                let back = matches!(shown.state, ShownState::Lost(_));
                let version = frame.version;
                if !gone {
                    shown.state = ShownState::Live;
                }
                // A session that is being removed has no name any more.
                if !frame.name.is_empty() {
                    shown.name.clone_from(&frame.name);
                }
                shown.mirror.apply(*frame);
                shown.to_acknowledge = Some(version);
                let session = shown.session.clone();
                self.roster.saw(&session, version);
                if back {
                    self.notice("connected again", Sign::Running);
                } else if answers_again {
                    self.notice("it answers again", Sign::Running);
                }
            }
            LinkEvent::Exited(_) if gone => {}
            LinkEvent::Exited(exited) => shown.state = ShownState::Exited(how(&exited)),
            LinkEvent::Lost(reason) => {
                let typed = match shown.unanswered.since() {
                    Some(since) => {
                        format!(" What was typed in the last {} s may be lost.", since.elapsed().as_secs() + 1)
                    }
                    None => String::new(),
                };
                let text = format!("{}: {reason}. Trying again…{typed}", shown.coordinator);
                shown.state = ShownState::Lost(printable(&reason));
                shown.unanswered = UnansweredInput::default();
                shown.told_to_end = None;
                self.notice(text, Sign::Failed);
            }
            LinkEvent::Gone(reason) => shown.state = ShownState::Gone(printable(&reason)),
            LinkEvent::Refused(refusal) => {
                let hint = if refusal.hint.is_empty() { String::new() } else { format!(": {}", refusal.hint) };
                self.notice(format!("{}{hint}", refusal.message), Sign::Blocked);
            }
            LinkEvent::Bell => return true,
        }
        false
    }
}

fn how(exited: &proto::SessionExited) -> String {
    match exited.signal.as_str() {
        "" => exited.exit_code.to_string(),
        signal => signal.to_owned(),
    }
}
