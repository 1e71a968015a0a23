//! Writes a recording while it happens.

use std::io::{self, Write};
use std::time::Duration;

use crate::event::micros;
use crate::header::{AsciicastVersion, CastHeader};
use crate::text::Utf8Pieces;

/// Each event is one line, given to the sink in a single write and flushed: however the recorder ends, the file
/// contains whole lines, except for one that the system itself cut.
///
/// After an error the sink may contain part of a line; write nothing more to it.
#[derive(Debug)]
pub struct CastWriter<W: Write> {
    sink: W,
    format: AsciicastVersion,
    /// The previous event's time, in microseconds since the start. Intervals are differences of these, so rounding
    /// errors don't add up.
    last: u64,
    output: Utf8Pieces,
    input: Utf8Pieces,
    events: u64,
    bytes: u64,
}

impl<W: Write> CastWriter<W> {
    pub fn new(sink: W, format: AsciicastVersion, header: &CastHeader) -> io::Result<Self> {
        let (output, input) = Default::default();
        let mut writer = CastWriter { sink, format, last: 0, output, input, events: 0, bytes: 0 };
        writer.line(header.to_line(format))?;
        Ok(writer)
    }

    /// Times count from the start of the recording; a time before the last event's is replaced by that one.
    pub fn output(&mut self, at: Duration, bytes: &[u8]) -> io::Result<()> {
        let text = self.output.take(bytes);
        self.text_event(at, "o", &text)
    }

    pub fn input(&mut self, at: Duration, bytes: &[u8]) -> io::Result<()> {
        let text = self.input.take(bytes);
        self.text_event(at, "i", &text)
    }

    pub fn resize(&mut self, at: Duration, cols: u16, rows: u16) -> io::Result<()> {
        self.event(at, "r", &format!("{cols}x{rows}"))
    }

    pub fn marker(&mut self, at: Duration, label: &str) -> io::Result<()> {
        self.event(at, "m", label)
    }

    /// The program exited. Version 2 can't express it; there this only flushes held-back bytes.
    pub fn exit(&mut self, at: Duration, status: i32) -> io::Result<()> {
        self.finish_text(at)?;
        match self.format {
            AsciicastVersion::V2 => Ok(()),
            AsciicastVersion::V3 => self.event(at, "x", &status.to_string()),
        }
    }

    /// Ends the recording, with or without a preceding exit.
    pub fn finish(&mut self, at: Duration) -> io::Result<()> {
        self.finish_text(at)
    }

    pub fn sink(&self) -> &W {
        &self.sink
    }

    pub fn into_sink(self) -> W {
        self.sink
    }

    /// Events written so far.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Bytes written so far, all of them whole lines.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    fn finish_text(&mut self, at: Duration) -> io::Result<()> {
        let (output, input) = (self.output.finish(), self.input.finish());
        self.text_event(at, "o", &output)?;
        self.text_event(at, "i", &input)
    }

    /// Writes nothing while the bytes contain no whole character.
    fn text_event(&mut self, at: Duration, code: &str, text: &str) -> io::Result<()> {
        if text.is_empty() { Ok(()) } else { self.event(at, code, text) }
    }

    fn event(&mut self, at: Duration, code: &str, data: &str) -> io::Result<()> {
        let now = micros(at).max(self.last);
        let time = match self.format {
            AsciicastVersion::V2 => now,
            AsciicastVersion::V3 => now - self.last,
        };
        let data = serde_json::to_string(data).expect("text can be written as JSON");
        self.line(format!("[{}.{:06}, \"{code}\", {data}]", time / 1_000_000, time % 1_000_000))?;
        self.last = now;
        self.events += 1;
        Ok(())
    }

    fn line(&mut self, mut line: String) -> io::Result<()> {
        line.push('\n');
        self.sink.write_all(line.as_bytes())?;
        self.sink.flush()?;
        self.bytes += line.len() as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size() -> CastHeader {
        CastHeader { cols: 80, rows: 24, ..CastHeader::default() }
    }

    fn written(format: AsciicastVersion, record: impl FnOnce(&mut CastWriter<Vec<u8>>)) -> Vec<String> {
        let mut writer = CastWriter::new(Vec::new(), format, &size()).unwrap();
        record(&mut writer);
        writer.finish(Duration::from_secs(9)).unwrap();
        String::from_utf8(writer.into_sink()).unwrap().lines().skip(1).map(str::to_owned).collect()
    }

    fn session(writer: &mut CastWriter<Vec<u8>>) {
        let at = Duration::from_micros;
        writer.output(at(1_500_000), b"caf\xc3").unwrap();
        writer.resize(at(2_000_000), 100, 30).unwrap();
        writer.output(at(2_250_000), b"\xa9\x1b[0m\r\n").unwrap();
        writer.input(at(3_000_000), b"q").unwrap();
        writer.marker(at(3_000_001), "here").unwrap();
        writer.exit(at(4_000_000), 3).unwrap();
    }

    #[test]
    fn version_2_counts_from_the_start() {
        let expected = [
            r#"[1.500000, "o", "caf"]"#,
            r#"[2.000000, "r", "100x30"]"#,
            r#"[2.250000, "o", "é\u001b[0m\r\n"]"#,
            r#"[3.000000, "i", "q"]"#,
            r#"[3.000001, "m", "here"]"#,
        ];
        assert_eq!(written(AsciicastVersion::V2, session), expected);
    }

    #[test]
    fn version_3_counts_from_the_event_before() {
        let expected = [
            r#"[1.500000, "o", "caf"]"#,
            r#"[0.500000, "r", "100x30"]"#,
            r#"[0.250000, "o", "é\u001b[0m\r\n"]"#,
            r#"[0.750000, "i", "q"]"#,
            r#"[0.000001, "m", "here"]"#,
            r#"[0.999999, "x", "3"]"#,
        ];
        assert_eq!(written(AsciicastVersion::V3, session), expected);
    }

    #[test]
    fn rounding_never_adds_up() {
        // Each step is 0.4 µs: rounded separately, every interval would be zero.
        let lines = written(AsciicastVersion::V3, |writer| {
            for step in 1..=1000u64 {
                writer.output(Duration::from_nanos(400 * step), b"x").unwrap();
            }
        });
        let sum: f64 = lines.iter().map(|line| line[1..9].parse::<f64>().unwrap()).sum();
        assert!((sum - 0.000_400).abs() < 1e-9, "{sum}");
    }

    #[test]
    fn time_never_runs_backwards() {
        let lines = written(AsciicastVersion::V3, |writer| {
            writer.output(Duration::from_secs(2), b"a").unwrap();
            writer.output(Duration::from_secs(1), b"b").unwrap();
            writer.output(Duration::from_secs(3), b"c").unwrap();
        });
        let times: Vec<&str> = lines.iter().map(|line| &line[1..9]).collect();
        assert_eq!(times, ["2.000000", "0.000000", "1.000000"]);
    }

    #[test]
    fn half_a_character_at_the_end_is_shown_as_such() {
        let lines = written(AsciicastVersion::V3, |writer| writer.output(Duration::ZERO, b"a\xe2\x82").unwrap());
        assert_eq!(lines, [r#"[0.000000, "o", "a"]"#, "[9.000000, \"o\", \"\u{fffd}\"]"]);
    }

    /// Takes whole writes only, and so many of them.
    struct Dying(Vec<u8>, usize);

    impl Write for Dying {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.1 == 0 {
                return Err(io::Error::other("gone"));
            }
            self.1 -= 1;
            self.0.extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_recorder_may_die_after_any_event() {
        for writes in 1..6 {
            let mut writer = CastWriter::new(Dying(Vec::new(), writes), AsciicastVersion::V3, &size()).unwrap();
            for _ in 0..writes - 1 {
                writer.output(Duration::ZERO, b"line\n").unwrap();
            }
            assert!(writer.output(Duration::ZERO, b"lost").is_err());
            let file = &writer.sink().0;
            assert_eq!(writer.bytes(), file.len() as u64);
            assert_eq!((file.last(), file.split(|byte| *byte == b'\n').count()), (Some(&b'\n'), writes + 1));
            let events = crate::CastReader::new(&file[..]).unwrap().map(Result::unwrap).count();
            assert_eq!(events as u64, writer.events());
        }
    }
}
