//! `vtr play`: the shared player, driven by the terminal's keys and the clock. Also loads recordings from files that
//! the person names; `replay` checks their content.

use std::{
    io,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use program::{EndSignals, Exit, Failure, Outcome};
use replay::{FileError, Tape, TapeError, TapeLimits};
use tokio::signal::unix::{SignalKind, signal};
use tui::{
    Canvas, CanvasWriter, HostDecoder, Rect, Skin,
    host::{HostError, HostModes, HostTerminal, MouseTracking},
    widgets::{PlayerOutcome, RecordingPlayer},
};

use crate::{host_terminal, output::Output, surroundings::Surroundings};

/// The time between two frames: thirty a second.
const FRAME: Duration = Duration::from_micros(33_334);
const PROBE: Duration = Duration::from_millis(400);
/// The timeout while nothing moves.
const LONG: Duration = Duration::from_secs(3600);

/// Loads a recording, with a warning if it is incomplete.
pub(crate) fn load(path: &Path, output: &mut Output) -> Result<Tape, Failure> {
    let shown = path.display();
    let tape = replay::read_file(path, TapeLimits::default()).map_err(|error| match error {
        FileError::Io(error) if error.kind() == io::ErrorKind::NotFound => {
            Failure::not_found(format!("there is no file {shown}"))
        }
        FileError::Io(error) => Failure::system(format_args!("opening {shown}"), &error),
        FileError::Tape(TapeError::TooLarge { .. }) => {
            Failure::new(Exit::Refused, "limit_exceeded", format!("{shown}: {error}"))
        }
        error => Failure::new(Exit::Usage, "bad_recording", format!("{shown}: {error}")),
    })?;
    if let Some(warning) = tape.ending().warning() {
        output.warn(warning);
    }
    Ok(tape)
}

/// Plays until the person leaves.
pub(crate) async fn play(
    mut host: HostTerminal,
    surroundings: &Surroundings,
    name: &str,
    tape: Tape,
    start: Duration,
    speed: f64,
) -> Outcome {
    let failed = |error: HostError| host_terminal::failure(&error);
    let system = |error: io::Error| Failure::system("using the terminal", &error);
    let input = std::os::fd::AsFd::as_fd(&host).try_clone_to_owned().map_err(system)?;
    host_terminal::restore_on_panic(&host);
    host.enter(HostModes { mouse: MouseTracking::Off, ..HostModes::default() }).map_err(failed)?;
    let mut decoder = HostDecoder::new();
    let mut events = Vec::new();
    let mut probe = host.probe(&mut decoder, PROBE, &mut events).map_err(failed)?;
    let known = probe.abilities().clone();
    host.change(known.modes(MouseTracking::Off)).map_err(failed)?;
    let mut input = tui::host::HostInput::start(input).map_err(system)?;
    let mut resized = signal(SignalKind::window_change()).map_err(system)?;
    let mut ends = EndSignals::on_a_terminal().map_err(system)?;
    let skin = Skin::new(known.color_scheme());
    let mut writer = CanvasWriter::new(known.writer_options(host_terminal::color_hints(surroundings)));
    let mut canvas = Canvas::new(host.size().map_err(failed)?);
    let warning = tape.ending().warning();
    let mut player = RecordingPlayer::new(name, Arc::new(tape), Instant::now());
    warning.into_iter().for_each(|warning| player.say(&warning));
    player.set_speed(speed);
    player.seek(start);
    let (mut fed, mut drawn) = (Instant::now(), None::<Instant>);
    loop {
        for event in events.drain(..) {
            if !probe.take(&event) && player.update(&event, Instant::now()) == PlayerOutcome::Left {
                host.leave();
                return Ok(Exit::Done);
            }
        }
        let now = Instant::now();
        player.advance(now);
        let next_frame = drawn.map_or(now, |drawn| drawn + FRAME);
        let mut wake = now + LONG;
        if next_frame <= now {
            let (screen, line) = Rect::of(canvas.size()).split_bottom(1);
            let cursor = player.draw(&mut canvas, screen, line, &skin);
            canvas.set_cursor(cursor);
            host.write(writer.frame(&canvas)).map_err(failed)?;
            drawn = Some(now);
        } else {
            wake = next_frame;
        }
        let times = [player.deadline(), decoder.wait().map(|wait| fed + wait)];
        wake = times.into_iter().flatten().fold(wake, Instant::min);
        tokio::select! {
            biased;
            signal = ends.next() => {
                host.leave();
                let message = format!("ended by the signal {}", signal.name());
                return Err(Failure::new(Exit::Refused, "ended", message));
            }
            bytes = input.next() => match bytes {
                None => return Err(Failure::new(Exit::Refused, "ended", "the terminal is gone")),
                Some(bytes) => {
                    decoder.feed(&bytes, &mut events);
                    fed = Instant::now();
                }
            },
            _ = resized.recv() => {
                canvas.resize(host.size().map_err(failed)?);
                drawn = None;
            }
            () = tokio::time::sleep_until(wake.into()) => {
                if decoder.wait().is_some_and(|wait| fed + wait <= Instant::now()) {
                    decoder.expire(&mut events);
                }
            }
        }
    }
}
