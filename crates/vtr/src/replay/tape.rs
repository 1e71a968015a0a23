//! A recording in memory.

use std::{fs::File, io::BufReader, path::Path, time::Duration};

use cast::{Event, EventData, Header, ReadError, Reader};

use crate::failure::{Exit, Failure};

/// Larger files would fill memory; a day of busy work is some 100 MB.
const MAX_BYTES: u64 = 1 << 30;

#[derive(Debug)]
pub(crate) struct Tape {
    pub(crate) header: Header,
    /// In the order of their times.
    pub(crate) events: Vec<Event>,
    /// The last line was cut off, as a crash leaves it.
    pub(crate) cut: bool,
}

impl Tape {
    pub(crate) fn load(path: &Path) -> Result<Self, Failure> {
        let shown = path.display();
        let file = File::open(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Failure::not_found(format!("there is no file {shown}")),
            _ => Failure::system(format_args!("opening {shown}"), &error),
        })?;
        let length = file.metadata().map_err(|error| Failure::system(format_args!("reading {shown}"), &error))?.len();
        if length > MAX_BYTES {
            let message = format!("{shown} has {length} bytes: recordings up to {MAX_BYTES} are read");
            return Err(Failure::new(Exit::Refused, "limit_exceeded", message));
        }
        let bad = |error: ReadError| Failure::new(Exit::Usage, "bad_recording", format!("{shown}: {error}"));
        let mut reader = Reader::new(BufReader::new(file)).map_err(bad)?;
        let mut events = Vec::new();
        for event in &mut reader {
            events.push(event.map_err(bad)?);
        }
        Ok(Tape { header: reader.header().clone(), cut: reader.was_cut(), events })
    }

    /// When the last event happened.
    pub(crate) fn length(&self) -> Duration {
        self.events.last().map_or(Duration::ZERO, |event| event.time)
    }

    /// No pause is longer than `limit`; the rest moves up.
    pub(crate) fn shorten_pauses(&mut self, limit: Duration) {
        let (mut before, mut cut) = (Duration::ZERO, Duration::ZERO);
        for event in &mut self.events {
            let pause = event.time.saturating_sub(before);
            before = event.time;
            cut += pause.saturating_sub(limit);
            event.time -= cut;
        }
    }

    /// Places to jump to: their events and labels.
    pub(crate) fn marks(&self) -> impl Iterator<Item = (Duration, &str)> {
        self.events.iter().filter_map(|event| match &event.data {
            EventData::Marker(label) => Some((event.time, label.as_str())),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_pauses_are_shortened_and_short_ones_stay() {
        let event =
            |seconds: f64| Event { time: Duration::from_secs_f64(seconds), data: EventData::Output("x".into()) };
        let mut tape =
            Tape { header: Header::default(), events: [0.5, 10.0, 10.5, 60.5].map(event).into(), cut: false };
        tape.shorten_pauses(Duration::from_secs(2));
        let times: Vec<f64> = tape.events.iter().map(|event| event.time.as_secs_f64()).collect();
        assert_eq!(times, [0.5, 2.5, 3.0, 5.0]);
        assert_eq!(tape.length(), Duration::from_secs(5));
    }
}
