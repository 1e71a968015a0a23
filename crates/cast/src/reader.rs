//! Reads a recording from any recorder.

use std::io::{self, BufRead, Read};
use std::time::Duration;

use crate::event::{CastEvent, EventData};
use crate::header::{AsciicastVersion, CastHeader, HeaderError};

/// Why a recording can't be read at all, or not beyond some line.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("the file is empty or its first line is cut: it is not a recording, or its recorder never started")]
    Empty,
    #[error("the first line is not an asciicast header ({reason}): give a file of asciicast version 2 or 3")]
    NoHeader { reason: String },
    #[error("this is asciicast version {version}: only versions 2 and 3 can be read")]
    UnknownVersion { version: u8 },
    #[error("line {line} is not an event ({reason}): the file is damaged there")]
    BadEvent { line: u64, reason: String },
    #[error("line {line} is longer than {limit} bytes: this is not a recording", limit = CastReader::<&[u8]>::MAX_LINE)]
    LineTooLong { line: u64 },
    #[error("the recording can't be read on: {0}")]
    Io(#[from] io::Error),
}

/// An iterator over the events. A last line that was cut off, as after a crash, ends the recording and is not an error;
/// [`CastReader::was_cut`] tells.
#[derive(Debug)]
pub struct CastReader<R> {
    source: R,
    format: AsciicastVersion,
    header: CastHeader,
    line: u64,
    /// The previous event's time, in microseconds since the start.
    last: u64,
    cut: bool,
    over: bool,
}

enum EventLine {
    Whole(Vec<u8>),
    /// The line has no line end, so it is the last one.
    Open(Vec<u8>),
    End,
}

impl<R: BufRead> CastReader<R> {
    /// Maximum bytes of a line. Recorders write some kilobytes at a time; the limit keeps a file that is no recording
    /// from filling memory.
    pub const MAX_LINE: usize = 64 << 20;

    pub fn new(mut source: R) -> Result<Self, ReadError> {
        let line = match read_line(&mut source, 1)? {
            EventLine::Whole(line) | EventLine::Open(line) if !line.is_empty() => line,
            _ => return Err(ReadError::Empty),
        };
        let text = String::from_utf8(line).map_err(|error| ReadError::NoHeader { reason: error.to_string() })?;
        let (format, header) = CastHeader::from_line(&text).map_err(|error| match error {
            HeaderError::Version(version) => ReadError::UnknownVersion { version },
            // Either the file is not a recording, or its recorder was killed while writing the first line.
            HeaderError::Json(error) if error.is_eof() => ReadError::Empty,
            other => ReadError::NoHeader { reason: other.to_string() },
        })?;
        Ok(CastReader { source, format, header, line: 1, last: 0, cut: false, over: false })
    }

    pub fn format(&self) -> AsciicastVersion {
        self.format
    }

    pub fn header(&self) -> &CastHeader {
        &self.header
    }

    /// Whether the last line was incomplete and has been left out. Known once the iterator has ended.
    pub fn was_cut(&self) -> bool {
        self.cut
    }

    fn read(&mut self) -> Result<Option<CastEvent>, ReadError> {
        loop {
            self.line += 1;
            let (line, open) = match read_line(&mut self.source, self.line)? {
                EventLine::Whole(line) => (line, false),
                EventLine::Open(line) => (line, true),
                EventLine::End => return Ok(None),
            };
            // Blank lines and comments are skipped.
            if line.trim_ascii().is_empty() || line.starts_with(b"#") {
                continue;
            }
            match self.parse(&line) {
                Ok(event) => return Ok(Some(event)),
                Err(_) if open => {
                    self.cut = true;
                    return Ok(None);
                }
                Err(reason) => return Err(ReadError::BadEvent { line: self.line, reason }),
            }
        }
    }

    fn parse(&mut self, line: &[u8]) -> Result<CastEvent, String> {
        let (time, code, data): (f64, String, String) =
            serde_json::from_slice(line).map_err(|error| error.to_string())?;
        // Rounded to the nearest microsecond, as when writing. JSON has no infinities; a huge time saturates.
        let micros = (time * 1e6).round();
        if micros < 0.0 {
            return Err(format!("a time of {time}"));
        }
        let micros = micros as u64;
        let data = parse_data(code, data)?;
        self.last = match self.format {
            AsciicastVersion::V2 => micros.max(self.last),
            AsciicastVersion::V3 => self.last.saturating_add(micros),
        };
        Ok(CastEvent { time: Duration::from_micros(self.last), data })
    }
}

fn parse_data(code: String, data: String) -> Result<EventData, String> {
    Ok(match code.as_str() {
        "o" => EventData::Output(data),
        "i" => EventData::Input(data),
        "m" => EventData::Marker(data),
        "r" => {
            let size = data.split_once('x').and_then(|(cols, rows)| Some((cols.parse().ok()?, rows.parse().ok()?)));
            let (cols, rows) = size.ok_or_else(|| format!("a size of {data:?}"))?;
            EventData::Resize { cols, rows }
        }
        "x" => EventData::Exit(data.parse().map_err(|_| format!("an exit status of {data:?}"))?),
        _ => EventData::Other { code, data },
    })
}

impl<R: BufRead> Iterator for CastReader<R> {
    type Item = Result<CastEvent, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        let next = self.read().transpose();
        self.over = !matches!(next, Some(Ok(_)));
        next
    }
}

fn read_line<R: BufRead>(source: &mut R, number: u64) -> Result<EventLine, ReadError> {
    let limit = CastReader::<R>::MAX_LINE;
    let mut line = Vec::new();
    source.by_ref().take(limit as u64 + 1).read_until(b'\n', &mut line)?;
    if line.pop_if(|last| *last == b'\n').is_some() {
        return Ok(EventLine::Whole(line));
    }
    match line.len() {
        0 => Ok(EventLine::End),
        length if length > limit => Err(ReadError::LineTooLong { line: number }),
        _ => Ok(EventLine::Open(line)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CastWriter;
    use proptest::prelude::*;

    const V2: &str = "{\"version\": 2, \"width\": 80, \"height\": 24}\n";
    const V3: &str = "{\"version\": 3, \"term\": {\"cols\": 80, \"rows\": 24}}\n";

    fn read(file: &str) -> (Vec<CastEvent>, bool, Option<ReadError>) {
        let mut reader = CastReader::new(file.as_bytes()).unwrap();
        let (mut events, mut error) = (Vec::new(), None);
        for event in &mut reader {
            match event {
                Ok(event) => events.push(event),
                Err(failed) => error = Some(failed),
            }
        }
        (events, reader.was_cut(), error)
    }

    fn event(micros: u64, data: EventData) -> CastEvent {
        CastEvent { time: Duration::from_micros(micros), data }
    }

    fn output(micros: u64, text: &str) -> CastEvent {
        event(micros, EventData::Output(text.into()))
    }

    #[test]
    fn times_are_absolute_whichever_way_they_are_written() {
        let lines = "[0.5, \"o\", \"a\"]\n[1.25, \"r\", \"100x50\"]\n[2, \"x\", \"7\"]\n[2, \"z\", \"?\"]\n";
        let data = |times: [u64; 4]| {
            let other = EventData::Other { code: "z".into(), data: "?".into() };
            let kinds =
                [EventData::Output("a".into()), EventData::Resize { cols: 100, rows: 50 }, EventData::Exit(7), other];
            times.into_iter().zip(kinds).map(|(time, data)| event(time, data)).collect::<Vec<_>>()
        };
        assert_eq!(read(&format!("{V2}{lines}")).0, data([500_000, 1_250_000, 2_000_000, 2_000_000]));
        assert_eq!(read(&format!("{V3}{lines}")).0, data([500_000, 1_750_000, 3_750_000, 5_750_000]));
    }

    #[test]
    fn comments_and_blank_lines_are_passed_over() {
        let (events, cut, error) = read(&format!("{V3}# a comment\n\n[1.0, \"o\", \"x\"]\r\n\n"));
        assert_eq!((events, cut), (vec![output(1_000_000, "x")], false));
        assert!(error.is_none());
    }

    #[test]
    fn a_cut_last_line_ends_the_recording() {
        let whole = format!("{V3}[1.0, \"o\", \"one\"]\n[1.0, \"o\", \"é\"]\n");
        for length in V3.len()..whole.len() {
            let Some(file) = whole.get(..length) else { continue };
            let (events, cut, error) = read(file);
            assert!(error.is_none(), "{file:?}: {error:?}");
            let full_lines = file.lines().skip(1).filter(|line| line.ends_with(']')).count();
            assert_eq!(events.len(), full_lines, "{file:?}");
            assert_eq!(cut, !file.ends_with(['\n', ']']), "{file:?}");
        }
        // Within a character: no UTF-8 any more.
        let within = whole.find('é').unwrap() + 1;
        let mut reader = CastReader::new(&whole.as_bytes()[..within]).unwrap();
        assert_eq!(reader.by_ref().map(Result::unwrap).count(), 1);
        assert!(reader.was_cut());
    }

    #[test]
    fn damage_in_the_middle_is_an_error_with_its_line() {
        for bad in ["nonsense", "[1, \"o\"]", "[-1, \"o\", \"x\"]", "[1, \"r\", \"80\"]", "[1, \"x\", \"y\"]", "{}"] {
            let (events, _, error) = read(&format!("{V2}[1, \"o\", \"a\"]\n{bad}\n[2, \"o\", \"b\"]\n"));
            assert_eq!(events.len(), 1, "{bad}");
            assert!(matches!(error, Some(ReadError::BadEvent { line: 3, .. })), "{bad}: {error:?}");
        }
    }

    #[test]
    fn what_is_no_recording_is_refused() {
        let refused = |file: &str| CastReader::new(file.as_bytes()).unwrap_err();
        assert!(matches!(refused(""), ReadError::Empty));
        assert!(matches!(refused("{\"version\": 3, \"te"), ReadError::Empty));
        assert!(matches!(refused("\n{}"), ReadError::Empty));
        assert!(matches!(refused("hello\n"), ReadError::NoHeader { .. }));
        assert!(matches!(
            refused("{\"version\":1,\"width\":8,\"height\":2}\n"),
            ReadError::UnknownVersion { version: 1 }
        ));
        assert!(matches!(refused("{\"version\":2}\n"), ReadError::NoHeader { .. }));
    }

    #[derive(Clone, Debug)]
    enum Step {
        Output(Vec<u8>),
        Input(Vec<u8>),
        Resize(u16, u16),
        Marker(String),
    }

    fn steps() -> impl Strategy<Value = Vec<(u64, Step)>> {
        let bytes = || proptest::collection::vec(any::<u8>(), 0..12);
        let step = prop_oneof![
            bytes().prop_map(Step::Output),
            ".{0,8}".prop_map(|text| Step::Output(text.into_bytes())),
            bytes().prop_map(Step::Input),
            (any::<u16>(), any::<u16>()).prop_map(|(cols, rows)| Step::Resize(cols, rows)),
            ".{0,8}".prop_map(Step::Marker),
        ];
        proptest::collection::vec((0u64..5_000_000_000, step), 0..24)
    }

    proptest! {
        #[test]
        fn what_was_recorded_is_read(steps in steps(), v3: bool, status in 0i32..256) {
            let format = if v3 { AsciicastVersion::V3 } else { AsciicastVersion::V2 };
            let header = CastHeader { cols: 80, rows: 24, ..CastHeader::default() };
            let mut writer = CastWriter::new(Vec::new(), format, &header).unwrap();
            let (mut nanos, mut output, mut input, mut others) = (0, Vec::new(), Vec::new(), Vec::new());
            let mut times = Vec::new();
            for (pause, step) in &steps {
                nanos += pause;
                let at = Duration::from_nanos(nanos);
                let before = writer.events();
                match step {
                    Step::Output(bytes) => {
                        output.extend_from_slice(bytes);
                        writer.output(at, bytes).unwrap();
                    }
                    Step::Input(bytes) => {
                        input.extend_from_slice(bytes);
                        writer.input(at, bytes).unwrap();
                    }
                    Step::Resize(cols, rows) => {
                        others.push(EventData::Resize { cols: *cols, rows: *rows });
                        writer.resize(at, *cols, *rows).unwrap();
                    }
                    Step::Marker(label) => {
                        others.push(EventData::Marker(label.clone()));
                        writer.marker(at, label).unwrap();
                    }
                }
                if writer.events() > before {
                    times.push(crate::event::micros(at));
                }
            }
            let end = Duration::from_nanos(nanos);
            writer.exit(end, status).unwrap();
            if v3 {
                others.push(EventData::Exit(status));
            }
            writer.finish(end).unwrap();
            let file = writer.into_sink();

            let mut reader = CastReader::new(&file[..]).unwrap();
            prop_assert_eq!((reader.format(), reader.header()), (format, &header));
            let (mut read_output, mut read_input, mut read_others) = (String::new(), String::new(), Vec::new());
            let mut read_times = Vec::new();
            for event in &mut reader {
                let event = event.unwrap();
                read_times.push(u64::try_from(event.time.as_micros()).unwrap());
                match event.data {
                    EventData::Output(text) => read_output.push_str(&text),
                    EventData::Input(text) => read_input.push_str(&text),
                    other => read_others.push(other),
                }
            }
            prop_assert!(!reader.was_cut());
            prop_assert_eq!(read_output, String::from_utf8_lossy(&output));
            prop_assert_eq!(read_input, String::from_utf8_lossy(&input));
            prop_assert_eq!(read_others, others);
            prop_assert_eq!(&read_times[..times.len()], &times[..]);
        }

        #[test]
        fn no_file_is_too_strange(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let file = [V3.as_bytes(), &bytes].concat();
            let events = CastReader::new(&file[..]).unwrap().count();
            prop_assert!(events <= bytes.len() + 1);
        }
    }
}
