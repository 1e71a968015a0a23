//! The interface's host terminal: bytes become events, frames are written out, and modes follow the child in sight.

use std::{
    io,
    os::fd::{AsFd, OwnedFd},
    time::{Duration, Instant},
};

use program::Surroundings;
use tui::{
    Canvas, CanvasWriter, HostDecoder, HostEvent,
    host::{
        ColorHints, HostAbilities, HostError, HostInput, HostModes, HostProbe, HostTerminal, KeyboardProtocol,
        MouseTracking,
    },
};
use vt::{InputModes, KittyFlags, MouseProtocol, Size};

/// How long the host may take to report its abilities. Every terminal answers the last question; later answers are used
/// as well.
const PROBE_PATIENCE: Duration = Duration::from_millis(400);

#[derive(Debug)]
pub(super) struct FaceTerminal {
    host: HostTerminal,
    input: HostInput,
    decoder: HostDecoder,
    probe: HostProbe,
    writer: CanvasWriter,
    hints: (String, String, bool),
    /// When the last byte arrived, for escape sequences that may go on.
    fed: Instant,
    mouse: bool,
    learnt: bool,
}

impl FaceTerminal {
    /// Standard input and output, which must be terminals. Changes nothing yet.
    pub(super) fn find() -> Result<HostTerminal, HostError> {
        let owned = |fd: io::Result<OwnedFd>| fd.map_err(|source| HostError::Io { what: "take hold of", source });
        let input = owned(io::stdin().as_fd().try_clone_to_owned())?;
        let output = owned(io::stdout().as_fd().try_clone_to_owned())?;
        HostTerminal::open(input, output)
    }

    /// Takes over the terminal and queries its abilities. Events that arrived meanwhile are appended. Must be called
    /// inside a runtime.
    pub(super) fn enter(
        mut host: HostTerminal,
        surroundings: &Surroundings,
        events: &mut Vec<HostEvent>,
    ) -> Result<Self, HostError> {
        host.enter(HostModes { mouse: MouseTracking::Off, ..HostModes::default() })?;
        let mut decoder = HostDecoder::new();
        let probe = host.probe(&mut decoder, PROBE_PATIENCE, events)?;
        let variable = |name| surroundings.variable(name).unwrap_or_default().to_string_lossy().into_owned();
        let hints = (variable("TERM"), variable("COLORTERM"), surroundings.variable("NO_COLOR").is_some());
        let writer = CanvasWriter::new(probe.abilities().writer_options(color_hints(&hints)));
        let held = |source| HostError::Io { what: "listen to", source };
        let copy = host.as_fd().try_clone_to_owned().map_err(held)?;
        let input = HostInput::start(copy).map_err(held)?;
        Ok(FaceTerminal { host, input, decoder, probe, writer, hints, fed: Instant::now(), mouse: true, learnt: false })
    }

    pub(super) fn abilities(&self) -> &HostAbilities {
        self.probe.abilities()
    }

    pub(super) fn size(&self) -> Size {
        self.host.size().unwrap_or_default()
    }

    /// The host's next input; `None` when the host is gone.
    pub(super) async fn next(&mut self) -> Option<Vec<u8>> {
        self.input.next().await
    }

    pub(super) fn hear(&mut self, bytes: &[u8], events: &mut Vec<HostEvent>) {
        self.fed = Instant::now();
        let mut came = Vec::new();
        self.decoder.feed(bytes, &mut came);
        self.take(came, events);
    }

    /// When an unfinished escape sequence has to be taken as a key.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.decoder.wait().map(|wait| self.fed + wait)
    }

    pub(super) fn expire(&mut self, now: Instant, events: &mut Vec<HostEvent>) {
        if self.deadline().is_some_and(|deadline| deadline <= now) {
            let mut came = Vec::new();
            self.decoder.expire(&mut came);
            self.take(came, events);
        }
    }

    /// Answers to our queries are never delivered as keys, however late they arrive.
    fn take(&mut self, came: Vec<HostEvent>, events: &mut Vec<HostEvent>) {
        let mut learnt = false;
        for event in came {
            match self.probe.take(&event) {
                true => learnt = true,
                false => events.push(event),
            }
        }
        if learnt {
            self.learnt = true;
            self.writer.set_options(self.probe.abilities().writer_options(color_hints(&self.hints)));
        }
    }

    /// Whether the host has answered anything since the last call.
    pub(super) fn has_learnt(&mut self) -> bool {
        std::mem::take(&mut self.learnt)
    }

    /// Sets the host modes that the child in sight asked for.
    pub(super) fn follow(&mut self, child: Option<&InputModes>) -> Result<(), HostError> {
        let mouse = match child.map(|modes| modes.mouse) {
            _ if !self.mouse => MouseTracking::Off,
            Some(MouseProtocol::AnyMotion) => MouseTracking::Motion,
            _ => MouseTracking::Drag,
        };
        let mut modes = self.abilities().modes(mouse);
        if let (KeyboardProtocol::Kitty(flags), Some(child)) = (&mut modes.keyboard, child) {
            *flags |= child.kitty & (KittyFlags::REPORT_EVENTS | KittyFlags::REPORT_ALL | KittyFlags::REPORT_TEXT);
        }
        self.host.change(modes)
    }

    /// Whether the mouse belongs to us or to the host.
    pub(super) fn set_mouse(&mut self, on: bool) {
        self.mouse = on;
    }

    pub(super) fn draw(&mut self, canvas: &Canvas) -> Result<(), HostError> {
        self.host.write(self.writer.frame(canvas))
    }

    /// Sends something besides the frame: a title, the clipboard, a notification.
    pub(super) fn say(&self, bytes: &[u8]) -> Result<(), HostError> {
        self.host.write(bytes)
    }

    pub(super) fn suspend(&mut self) {
        self.host.suspend();
    }

    pub(super) fn resume(&mut self) -> Result<(), HostError> {
        self.writer.forget();
        self.host.resume()
    }

    /// Draws the next frame in full.
    pub(super) fn forget(&mut self) {
        self.writer.forget();
    }
}

fn color_hints(hints: &(String, String, bool)) -> ColorHints<'_> {
    ColorHints { term: &hints.0, color_term: &hints.1, no_color: hints.2 }
}
