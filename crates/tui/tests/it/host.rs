//! A real terminal device: set up, asked, put back.

use std::{os::fd::OwnedFd, sync::mpsc, thread, time::Duration};

use rustix::{
    fs::{Mode, OFlags},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{LocalModes, OptionalActions, Termios, Winsize, tcgetattr, tcsetattr, tcsetwinsize},
};
use tui::{
    ColorScheme, HostDecoder, HostEvent,
    host::{HostAbilities, HostError, HostModes, HostProbe, HostTerminal, KeyboardProtocol, MouseTracking, PLAIN_KEYS},
};
use vt::{Effect, Rgb, Size, Terminal, TerminalOptions, Theme, input::KeyEvent};

/// A terminal device and its other end.
fn device() -> (OwnedFd, OwnedFd) {
    let outer = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&outer).unwrap();
    unlockpt(&outer).unwrap();
    let name = ptsname(&outer, Vec::new()).unwrap();
    let inner =
        rustix::fs::open(name.as_c_str(), OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty()).unwrap();
    tcsetwinsize(&inner, Winsize { ws_row: 30, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    (outer, inner)
}

/// Plays the terminal until the device is closed: what it shows in the end, and what it was asked.
fn play(outer: OwnedFd, options: TerminalOptions, extra: &'static [u8]) -> mpsc::Receiver<Terminal> {
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let mut terminal = Terminal::new(options);
        let mut buffer = [0; 4096];
        let mut extra = Some(extra);
        while let Ok(count @ 1..) = rustix::io::read(&outer, &mut buffer) {
            terminal.feed(&buffer[..count]);
            for effect in terminal.take_effects() {
                if let Effect::Reply(reply) = effect {
                    // Typed while the answers come.
                    if let Some(extra) = extra.take() {
                        rustix::io::write(&outer, extra).unwrap();
                    }
                    rustix::io::write(&outer, &reply).unwrap();
                }
            }
        }
        let _ = send.send(terminal);
    });
    receive
}

fn settings(fd: &OwnedFd) -> (LocalModes, String) {
    let termios: Termios = tcgetattr(fd).unwrap();
    (termios.local_modes, format!("{:?} {:?}", termios.input_modes, termios.output_modes))
}

#[test]
fn the_terminal_is_asked_and_put_back() {
    let (outer, inner) = device();
    let before = settings(&inner);
    let theme = Theme { background: Rgb::new(250, 250, 250), foreground: Rgb::new(1, 2, 3), ..Theme::default() };
    let shown = play(outer, TerminalOptions { size: Size::new(100, 30), theme, ..TerminalOptions::default() }, b"k");
    let mut host = HostTerminal::open(inner.try_clone().unwrap(), inner.try_clone().unwrap()).unwrap();
    assert_eq!(host.size().unwrap(), Size::new(100, 30));

    host.enter(HostModes { mouse: MouseTracking::Off, ..HostModes::default() }).unwrap();
    assert!(!settings(&inner).0.contains(LocalModes::ICANON));
    let mut decoder = HostDecoder::new();
    let mut events = Vec::new();
    let probe = host.probe(&mut decoder, testkit::DEADLINE, &mut events).unwrap();
    assert!(probe.finished());
    assert_eq!(events, [HostEvent::Key(KeyEvent::press('k'))], "a key typed meanwhile is kept, and no answer is a key");
    let known = probe.abilities();
    assert!(known.kitty_keyboard && known.synchronized && known.narrow_ambiguous, "{known:?}");
    assert_eq!((known.foreground, known.color_scheme()), (Some(Rgb::new(1, 2, 3)), ColorScheme::Light));
    let modes = known.modes(MouseTracking::Drag);
    assert_eq!(modes.keyboard, KeyboardProtocol::Kitty(PLAIN_KEYS));
    host.change(modes).unwrap();

    host.suspend();
    assert_eq!(settings(&inner), before);
    host.resume().unwrap();
    assert!(!settings(&inner).0.contains(LocalModes::ICANON));

    // The hook of a panic, then the drop: once is enough.
    let restorer = host.restorer();
    restorer.restore();
    assert_eq!(settings(&inner), before);
    let mut mine = tcgetattr(&inner).unwrap();
    mine.local_modes.remove(LocalModes::ECHO);
    tcsetattr(&inner, OptionalActions::Now, &mine).unwrap();
    drop(host);
    assert!(!settings(&inner).0.contains(LocalModes::ECHO), "what others set after the end stays");
    drop((inner, restorer));

    let terminal = shown.recv_timeout(testkit::DEADLINE).unwrap();
    assert!(!terminal.alternate_screen());
    let fresh = Terminal::new(TerminalOptions::default()).input_modes();
    assert_eq!(terminal.input_modes(), fresh);
    assert!(terminal.cursor().visible);
}

#[test]
fn a_host_that_never_answers_is_not_waited_for() {
    let (outer, inner) = device();
    let mut host = HostTerminal::open(inner.try_clone().unwrap(), inner).unwrap();
    host.enter(HostModes::default()).unwrap();
    let mut events = Vec::new();
    let probe = host.probe(&mut HostDecoder::new(), Duration::from_millis(20), &mut events).unwrap();
    assert!(!probe.finished() && events.is_empty());
    assert_eq!(*probe.abilities(), HostAbilities::default());
    drop(outer);
}

#[test]
fn late_answers_are_still_answers() {
    let mut decoder = HostDecoder::new();
    let mut probe = HostProbe::default();
    let mut events = Vec::new();
    decoder.feed(b"\x1b[?2026;2$y\x1b]11;rgb:ff/ff/ff\x1b\\\x1b[?62c", &mut events);
    assert!(events.iter().all(|event| probe.take(event)));
    assert!(probe.finished() && probe.abilities().synchronized);
    assert_eq!(probe.abilities().color_scheme(), ColorScheme::Light);
}

#[test]
fn what_is_no_terminal_is_refused() {
    let (read, write) = rustix::pipe::pipe().unwrap();
    assert!(matches!(HostTerminal::open(read, write), Err(HostError::NotATerminal("the input"))));
}

#[test]
fn a_gone_terminal_reads_as_the_end() {
    let (outer, inner) = device();
    let host = HostTerminal::open(inner.try_clone().unwrap(), inner).unwrap();
    drop(outer);
    assert_eq!(host.read(&mut [0; 8]).unwrap(), 0);
}
