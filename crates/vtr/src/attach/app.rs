//! What the screen shows and what has to be done: the state that the layers read and change.
//!
//! Layers never do anything themselves: they leave [`Action`]s, and the loop around them does those.

use std::time::{Duration, Instant};

use grpc::proto::{self, AttachInput, Session, attach_request::Message};
use tui::{Rect, Sign, Skin, Unit, widgets::Toast};
use vt::Position;

use super::{
    bindings::Bindings,
    link::{Link, LinkEvent},
    mirror::{Mirror, crop},
    roster::{Roster, SessionRef},
};
use crate::output::printable;

/// How long a notice stays.
const NOTICE: Duration = Duration::from_secs(4);

/// How the session that is shown stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Connecting,
    Live,
    /// The line is away, and why.
    Lost(String),
    /// With its code or signal; empty when it has neither.
    Exited(String),
    /// It is no more.
    Gone(String),
}

/// The session that is shown.
#[derive(Debug)]
pub(crate) struct Shown {
    pub(crate) session: SessionRef,
    pub(crate) coordinator: String,
    pub(crate) name: String,
    pub(crate) link: Link,
    pub(crate) mirror: Mirror,
    pub(crate) state: State,
    /// What is told of it beside its screen; asked for now and then.
    pub(crate) info: Session,
    /// A frame that was taken and is not drawn yet.
    pub(crate) to_acknowledge: Option<u64>,
}

impl Shown {
    /// Whether an update leaves all that is shown around the screen as it is.
    pub(crate) fn changes_only_cells(&self, update: &proto::Frame) -> bool {
        // A whole one may have another size.
        self.state == State::Live
            && !update.whole
            && self.name == update.name
            && self.mirror.about.title == update.title
    }
}

/// A session in the picker, looked at without a touch.
#[derive(Debug)]
pub(crate) struct Preview {
    pub(crate) link: Link,
    pub(crate) mirror: Mirror,
    pub(crate) to_acknowledge: Option<u64>,
}

/// Why one looks back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LookBack {
    Keys,
    /// The wheel was turned.
    Scroll(isize),
    /// The mouse is dragged, from here to there on the host's screen.
    Drag(Position, Position),
    /// A double or triple click.
    Pick(Position, Unit),
}

/// What is to be done outside of the layers.
#[derive(Debug)]
pub(crate) enum Action {
    Detach,
    Show(SessionRef),
    Beside(isize),
    Unseen,
    Preview(Option<SessionRef>),
    LookBack(LookBack),
    Kill,
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
pub(crate) struct App {
    pub(crate) skin: Skin,
    pub(crate) bindings: Bindings,
    pub(crate) area: Rect,
    pub(crate) framed: bool,
    pub(crate) read_only: bool,
    pub(crate) no_resize: bool,
    pub(crate) roster: Roster,
    pub(crate) shown: Option<Shown>,
    pub(crate) preview: Option<Preview>,
    pub(crate) actions: Vec<Action>,
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

impl App {
    /// Where the child's screen is drawn.
    pub(crate) fn pane(&self) -> Rect {
        if self.framed { self.area.split_bottom(1).0.inner(1, 1) } else { self.area }
    }

    pub(crate) fn notice(&mut self, text: impl Into<String>, sign: Sign) {
        let text = printable(&text.into());
        self.notices.retain(|(old, _)| old.text != text);
        self.notices.push((Toast { text, sign }, Instant::now() + NOTICE));
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
        // What is typed before the first picture waits for the line.
        let typable = |shown: &&Shown| matches!(shown.state, State::Connecting | State::Live);
        let Some(shown) = self.shown.as_ref().filter(typable) else { return false };
        if self.read_only {
            self.notice("you are attached read only: nothing is typed", Sign::Blocked);
            return false;
        }
        let sent = shown.link.send(Message::Input(input));
        if !sent {
            self.notice("the line takes nothing more: this was not sent", Sign::Failed);
        }
        sent
    }

    /// Takes over what the link of the shown session told. True when its bell rang.
    pub(crate) fn hear(&mut self, event: LinkEvent) -> bool {
        let Some(shown) = &mut self.shown else { return false };
        match event {
            LinkEvent::Frame(frame) => {
                let back = matches!(shown.state, State::Lost(_));
                let version = frame.version;
                shown.state = State::Live;
                shown.session.id.clone_from(&frame.id);
                shown.name.clone_from(&frame.name);
                shown.mirror.apply(*frame);
                shown.to_acknowledge = Some(version);
                let session = shown.session.clone();
                self.roster.saw(&session, version);
                if back {
                    self.notice("the line is back", Sign::Running);
                }
            }
            LinkEvent::Exited(exited) => shown.state = State::Exited(how(&exited)),
            LinkEvent::Lost(reason) => {
                let text = format!("{}: {reason}. Trying again…", shown.coordinator);
                shown.state = State::Lost(printable(&reason));
                self.notice(text, Sign::Failed);
            }
            LinkEvent::Gone(reason) => shown.state = State::Gone(printable(&reason)),
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
