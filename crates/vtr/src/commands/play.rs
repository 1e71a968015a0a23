//! `vtr play`

use std::{path::PathBuf, time::Duration};

use program::{Failure, Outcome};
use replay::parse_clock;

use crate::{host_terminal, invocation::Invocation, playback};

/// Play a recording in this terminal
///
/// Takes asciicast files of versions 2 and 3, whoever made them. The recording is replayed in a terminal of its own and
/// drawn, so nothing in the file can do anything to yours. Space pauses, the arrows seek, comma and dot step, slash
/// searches in time.
#[derive(Debug, clap::Args)]
pub(crate) struct PlayArgs {
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// How many times faster
    #[arg(long, value_name = "FACTOR", default_value = "1", value_parser = factor)]
    speed: f64,
    /// Shorten pauses to this [default: what the recording asks for]
    #[arg(long, value_name = "TIME", value_parser = super::time_span)]
    idle_limit: Option<Duration>,
    /// Begin here, as in 90s or 1:30
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = parse_clock)]
    start: Duration,
}

fn factor(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(factor) if (0.01..=1000.0).contains(&factor) => Ok(factor),
        _ => Err("give a number from 0.01 to 1000".into()),
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
