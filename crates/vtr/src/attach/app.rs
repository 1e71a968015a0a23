//! What the screen shows and what has to be done: the state that the layers read and change.
//!
//! Layers never do anything themselves: they leave [`AttachAction`]s, and the loop around them does those.

use std::time::{Duration, Instant};

use grpc::proto::{self, AttachInput, Session, attach_request::Message};
use tui::{Rect, SelectionUnit, Sign, Skin, widgets::Toast};
use vt::Position;

use super::{
    bindings::{LeaderBindings, LeaderCommand},
    link::{AttachLink, LinkEvent},
    mirror::{ScreenMirror, crop},
    roster::{SessionRef, SessionRoster},
    unanswered::UnansweredInput,
};
use crate::output::printable;

/// How long a notice stays, and how much longer for each character that is to be read.
const NOTICE: Duration = Duration::from_secs(3);
const READING: Duration = Duration::from_millis(40);

/// How the session that is shown stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ShownState {
    Connecting,
    Live,
    /// The line is away, and why.
    Lost(String),
    /// With its code or signal; empty when it has neither.
    Exited(String),
    /// It is no more, and why.
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
    /// What is told of it beside its screen; asked for now and then.
    pub(crate) info: Session,
    /// A frame that was taken and is not drawn yet.
    pub(crate) to_acknowledge: Option<u64>,
    /// Another session that has its name, now that it is gone.
    pub(crate) namesake: bool,
    pub(crate) unanswered: UnansweredInput,
    /// Its program was told to end: when it is time to see whether it did.
    pub(crate) told_to_end: Option<(Instant, EndChoice)>,
}

impl ShownSession {
    /// It is there, or on its way.
    pub(crate) fn is_attached(&self) -> bool {
        matches!(self.state, ShownState::Connecting | ShownState::Live)
    }

    /// The coordinator was typed to and asked, and says nothing.
    pub(crate) fn is_silent(&self) -> bool {
        self.unanswered.is_told()
    }

    /// Whether an update leaves all that is shown around the screen as it is.
    pub(crate) fn changes_only_cells(&self, update: &proto::Frame) -> bool {
        // A whole one may have another size.
        self.state == ShownState::Live
            && !update.whole
            && self.name == update.name
            && !self.is_silent()
            && self.mirror.about.title == update.title
    }
}

/// A session in the picker, looked at without a touch.
#[derive(Debug)]
pub(crate) struct PickerPreview {
    pub(crate) link: AttachLink,
    pub(crate) mirror: ScreenMirror,
    pub(crate) to_acknowledge: Option<u64>,
}

/// Why one looks back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LookBackCause {
    Keys,
    /// The wheel was turned.
    Scroll(isize),
    /// The mouse is dragged, from here to there on the host's screen.
    Drag(Position, Position),
    /// A double or triple click.
    Pick(Position, SelectionUnit),
}

/// How a program is told to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndChoice {
    /// It is asked to; shells that people type into take no notice.
    Term,
    /// What closing a window does; shells end.
    Hup,
    /// It is not asked.
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

/// What is to be done outside of the layers.
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
    /// The coordinators that exist now: sockets come and go.
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
    pub(crate) roster: SessionRoster,
    pub(crate) shown: Option<ShownSession>,
    pub(crate) preview: Option<PickerPreview>,
    pub(crate) actions: Vec<AttachAction>,
    pub(crate) notices: Vec<(Toast, Instant)>,
    pub(crate) clock: String,
    pub(crate) leader_pending: bool,
    /// The last key went to the child and changed nothing here: what there is to draw is its echo.
    pub(crate) only_typed: bool,
    /// Border and status bar are on the canvas as they should be: an echo is drawn without them.
    pub(crate) frame_stands: bool,
    /// The left button is down on the pane.
    pub(crate) button_down: bool,
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

    /// Whether anything but looking is allowed; if not, that is said.
    pub(crate) fn may_change(&mut self) -> bool {
        if self.read_only {
            self.notice("attached read only: nothing is changed", Sign::Blocked);
        }
        !self.read_only
    }

    /// When a program that was told to end has had its time and took no notice, says so; true then.
    pub(crate) fn tell_what_still_runs(&mut self, now: Instant) -> bool {
        let Some(shown) = &mut self.shown else { return false };
        let Some((_, signal)) = shown.told_to_end.take_if(|(until, _)| *until <= now) else { return false };
        if shown.state != ShownState::Live {
            return false;
        }
        let rest = match signal {
            EndChoice::Term => "offers to hang up (HUP), which ends shells, and to force it (KILL)",
            EndChoice::Hup => "offers to force it (KILL)",
            EndChoice::Kill => "asks again; what a KILL does not end waits for the system",
        };
        let (name, signal, keys) = (shown.name.clone(), signal.name(), self.bindings.keys_of(LeaderCommand::Kill));
        self.notice(format!("{name} still runs: {signal} did not end it. {keys} {rest}"), Sign::Blocked);
        true
    }

    /// `a:name`, or only the name where there is one coordinator.
    pub(crate) fn address(&self, coordinator: &str, name: &str) -> String {
        if self.roster.members().len() > 1 { format!("{coordinator}:{name}") } else { name.to_owned() }
    }

    /// The cell of the child's screen at a place of the host's; `None` outside of the pane.
    pub(crate) fn cell_at(&self, at: Position) -> Option<Position> {
        let frame = self.shown.as_ref()?.mirror.frame()?;
        let pane = self.pane();
        let offset = crop(frame, pane);
        pane.contains(at).then(|| Position { row: at.row - pane.row + offset.row, col: at.col - pane.col + offset.col })
    }

    /// Types into the session that is shown, if it can be typed into; says whether that went well.
    pub(crate) fn send(&mut self, input: AttachInput) -> bool {
        let read_only = self.read_only;
        let Some(shown) = &mut self.shown else { return false };
        let refusal = match &shown.state {
            ShownState::Exited(_) | ShownState::Gone(_) => return false,
            _ if read_only => "attached read only: nothing is typed",
            ShownState::Lost(_) => "the line is away: this goes nowhere",
            // What is typed before the first picture waits for the line.
            ShownState::Connecting | ShownState::Live => {
                if shown.link.send(Message::Input(input)) {
                    shown.unanswered.sent(Instant::now());
                    return true;
                }
                "the line takes nothing more: this was not sent"
            }
        };
        self.notice(refusal, Sign::Blocked);
        false
    }

    /// The coordinator has answered a question that it was asked at this time.
    pub(crate) fn hear_answer(&mut self, asked: Instant) {
        if self.shown.as_mut().is_some_and(|shown| shown.unanswered.answered(asked)) {
            self.notice("it answers again", Sign::Running);
        }
    }

    /// The coordinator was asked at this time whether it is there, and does not say so.
    pub(crate) fn tell_silence(&mut self, asked: Instant) {
        let Some(shown) = &mut self.shown else { return };
        if !shown.unanswered.not_answered(asked) {
            return;
        }
        let text = format!("{} does not answer: what is typed waits for it, and is lost if it ends", shown.coordinator);
        self.notice(text, Sign::Failed);
    }

    /// Takes over what the link of the shown session told. True when its bell rang.
    pub(crate) fn hear(&mut self, event: LinkEvent) -> bool {
        let Some(shown) = &mut self.shown else { return false };
        // The list of sessions comes by another stream, and may have told first that the session was removed.
        let gone = matches!(shown.state, ShownState::Gone(_));
        match event {
            LinkEvent::Frame(frame) => {
                let answers_again = shown.unanswered.frame();
                let back = matches!(shown.state, ShownState::Lost(_));
                let version = frame.version;
                if !gone {
                    shown.state = ShownState::Live;
                }
                // One that is being removed has no name any more.
                if !frame.name.is_empty() {
                    shown.name.clone_from(&frame.name);
                }
                shown.mirror.apply(*frame);
                shown.to_acknowledge = Some(version);
                let session = shown.session.clone();
                self.roster.saw(&session, version);
                if back {
                    self.notice("the line is back", Sign::Running);
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
