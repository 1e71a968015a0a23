//! `vtr play`

use std::{path::PathBuf, time::Duration};

use program::{Failure, Outcome};
use replay::parse_clock;

use crate::{host_terminal, invocation::Invocation, playback};

/// Play a recording in this terminal
///
/// Plays asciicast files of versions 2 and 3 from any source. The recording is replayed in a terminal emulator and
/// drawn from there, so nothing in the file can affect your terminal. Space pauses, the arrow keys seek, comma and dot
/// step, slash finds when text was on the screen.
#[derive(Debug, clap::Args)]
pub(crate) struct PlayArgs {
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// The speed, as a factor
    #[arg(long, value_name = "FACTOR", default_value = "1", value_parser = factor)]
    speed: f64,
    /// Shorten pauses to this length [default: the recording's own limit]
    #[arg(long, value_name = "TIME", value_parser = super::time_span)]
    idle_limit: Option<Duration>,
    /// Start at this time, for example 90s or 1:30
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = parse_clock)]
    start: Duration,
}

fn factor(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(factor) if (0.01..=1000.0).contains(&factor) => Ok(factor),
        _ => Err("use a number from 0.01 to 1000".into()),
    }
}

impl PlayArgs {
    pub(crate) async fn run(self, invocation: &mut Invocation) -> Outcome {
        let mut tape = playback::load(&self.file, &mut invocation.output)?;
        match self.idle_limit.or(tape.asked_idle_limit()) {
            Some(limit) if limit.is_zero() => return Err(Failure::usage("pauses can't be shortened to nothing")),
            Some(limit) => tape.shorten_pauses(limit),
            None => {}
        }
        let host = host_terminal::open("`vtr export --format txt` needs no terminal")?;
        let name = self.file.file_name().unwrap_or_default().to_string_lossy();
        playback::play(host, &invocation.surroundings, &name, tape, self.start, self.speed).await
    }
}
