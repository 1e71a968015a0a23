//! Input to the child: what can be sent, by whom, and what the sender is told.

use vt::InputModes;
use vt::input::{FocusChange, KeyEvent, MouseEvent};

use crate::error::{Error, LimitExceeded, Result};
use crate::fair_lock::lock;
use crate::io::run::{AcceptedInput, ProgramRun};
use crate::names::SessionId;
use crate::notices::EngineEvent;
use crate::session::Session;
use crate::session::facts::SessionEvent;
use crate::session::shared::SessionShared;
use crate::session::status::{Origin, Owner, Status};

/// Encoded by the child's modes at the moment of sending.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    Key(KeyEvent),
    /// Typed text; line ends are typed as Enter.
    Text(String),
    /// Bracketed if the child asked for it; the text can't break out of its brackets.
    Paste(String),
    /// Sent unchanged.
    Bytes(Vec<u8>),
    Mouse(MouseEvent),
    /// The wheel as arrow keys, in lines downwards, if the child wants that on its alternate screen.
    Wheel(i32),
    Focus(FocusChange),
}

impl Input {
    /// Bytes given, before encoding.
    fn len(&self) -> usize {
        match self {
            Input::Text(text) | Input::Paste(text) => text.len(),
            Input::Bytes(bytes) => bytes.len(),
            Input::Key(_) | Input::Mouse(_) | Input::Wheel(_) | Input::Focus(_) => 0,
        }
    }

    fn encode(self, modes: &InputModes) -> Vec<u8> {
        match self {
            Input::Key(key) => vt::input::encode_key(&key, modes),
            Input::Text(text) => vt::input::encode_text(&text, modes),
            Input::Paste(text) => vt::input::encode_paste(&text, modes),
            Input::Bytes(bytes) => bytes,
            Input::Mouse(event) => vt::input::encode_mouse(&event, modes).unwrap_or_default(),
            Input::Wheel(lines) => vt::input::encode_wheel_as_arrows(lines, modes).unwrap_or_default(),
            Input::Focus(focus) => vt::input::encode_focus(focus, modes).unwrap_or_default().to_vec(),
        }
    }

    /// Whether a person who sends this takes over the session. Focus and mouse motion don't.
    fn takes_over(&self) -> bool {
        matches!(self, Input::Key(_) | Input::Text(_) | Input::Paste(_) | Input::Bytes(_))
    }
}

/// Input that was accepted completely.
#[derive(Debug)]
pub struct SentInput {
    /// Raw output from this offset on came after the input: the start of a tail.
    pub output_offset: u64,
    /// The screen's version before the input.
    pub version: u64,
    id: SessionId,
    accepted: Option<AcceptedInput>,
}

impl SentInput {
    /// In its present modes, the program's terminal encodes this input as no bytes.
    pub fn is_nothing(&self) -> bool {
        self.accepted.is_none()
    }

    /// Completes when the child's terminal has accepted all of it, which is immediately unless the child does not read.
    /// Fails if the run ends first.
    pub async fn written(self) -> Result<()> {
        let Some(AcceptedInput { upto, written: Some(mut written) }) = self.accepted else { return Ok(()) };
        let ended = |_| Error::NotRunning { id: self.id, status: Status::Exited };
        written.wait_for(|written| *written >= upto).await.map_err(ended)?;
        Ok(())
    }
}

impl Session {
    /// Sends `input` completely, or not at all. Never waits for the child: what it does not read yet is queued, up to a
    /// limit.
    pub fn send(&self, input: Input, origin: Origin) -> Result<SentInput> {
        let shared = self.shared();
        let (length, limit) = (input.len(), shared.limits.input);
        if length > limit {
            return Err(LimitExceeded::Input { length, limit }.into());
        }
        let run = shared.run()?;
        if origin == Origin::Human && input.takes_over() {
            shared.set_owner(Owner::User);
        }
        let (modes, version) = {
            let screen = shared.screen.lock();
            (screen.terminal.input_modes(), screen.version())
        };
        let output_offset = lock(&shared.ring).end();
        let bytes = input.encode(&modes);
        let accepted = if bytes.is_empty() { None } else { Some(shared.type_bytes(&run, &bytes)?) };
        Ok(SentInput { output_offset, version, id: shared.id, accepted })
    }

    pub fn owner(&self) -> Owner {
        self.shared().record().owner
    }

    /// The person returns the session to the agent that drives it.
    pub fn release(&self) {
        self.shared().set_owner(Owner::Orchestrator);
    }
}

impl SessionShared {
    fn type_bytes(&self, run: &ProgramRun, bytes: &[u8]) -> Result<AcceptedInput> {
        // Checked before the bytes are typed: the Enter after a password turns the echo on again.
        let recorded =
            self.screen.lock().has_input_taps() && run.pty.tty_facts().is_ok_and(|facts| !facts.hides_a_line());
        // Noted before it is typed: the input may be what ends the run, and with the run its recordings end. What is
        // refused is not noted, unless another sender takes the last room in this very moment.
        if recorded && run.has_room_for(bytes.len()) {
            self.screen.lock().note_input(bytes, self.clock.now());
        }
        run.type_bytes(bytes)
            .map_err(|full| LimitExceeded::InputQueue { id: self.id, queued: full.queued, limit: full.limit }.into())
    }

    pub(crate) fn set_owner(&self, owner: Owner) {
        let changed = std::mem::replace(&mut self.record().owner, owner) != owner;
        if changed {
            self.screen.lock().tell(SessionEvent::Owner(owner));
            self.notices.tell(EngineEvent::Owner(self.id, owner));
        }
    }
}
