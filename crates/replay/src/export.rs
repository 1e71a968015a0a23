//! Exports a recording in another form.

use std::{
    io::{self, Write},
    path::Path,
    sync::Arc,
    time::Duration,
};

use crate::{
    new_file, picture,
    printed::write_printed,
    reel::Reel,
    tape::{Tape, TapeEntry},
};

/// The forms of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportForm {
    /// asciicast, version 2, which older players read.
    V2,
    /// asciicast, version 3.
    V3,
    /// The printed text.
    Text,
    /// An image of the screen.
    Svg,
    /// An HTML page with the screen.
    Html,
}

impl ExportForm {
    pub const ALL: [ExportForm; 5] =
        [ExportForm::V3, ExportForm::V2, ExportForm::Text, ExportForm::Svg, ExportForm::Html];

    /// The extension of the file's name.
    pub fn extension(self) -> &'static str {
        match self {
            ExportForm::V2 | ExportForm::V3 => "cast",
            ExportForm::Text => "txt",
            ExportForm::Svg => "svg",
            ExportForm::Html => "html",
        }
    }
}

/// Writes the recording in that form to `sink`. An image shows the moment `at`, or else the end; text is what was
/// printed up to it. Returns a note for people about what is left out.
pub fn export(
    tape: Arc<Tape>,
    form: ExportForm,
    at: Option<Duration>,
    sink: &mut dyn Write,
) -> io::Result<Option<String>> {
    let options = picture::PictureOptions { cursor: false, title: tape.header().title.clone() };
    let place = at.map_or(tape.len(), |time| tape.events_until(time));
    match form {
        ExportForm::V2 => write_cast(&tape, cast::AsciicastVersion::V2, sink)?,
        ExportForm::V3 => write_cast(&tape, cast::AsciicastVersion::V3, sink)?,
        ExportForm::Text => {
            let left_out = write_printed(&tape, place, sink)?;
            return Ok((left_out > 0).then(|| left_out_words(left_out)));
        }
        ExportForm::Svg | ExportForm::Html => {
            let mut reel = Reel::new(tape);
            reel.go_to_event(place);
            let frame = reel.frame();
            let picture = match form {
                ExportForm::Html => picture::html(&frame, &options),
                _ => picture::svg(&frame, &options),
            };
            sink.write_all(picture.as_bytes())?;
        }
    }
    Ok(None)
}

/// The result of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportOutcome {
    pub bytes: u64,
    /// A note for people about what is left out.
    pub left_out: Option<String>,
}

/// Writes a file that only its owner can read, completely or not at all. With `over`, an existing file is replaced.
pub fn export_file(
    tape: Arc<Tape>,
    form: ExportForm,
    at: Option<Duration>,
    path: &Path,
    over: bool,
) -> io::Result<ExportOutcome> {
    let mut left_out = None;
    let bytes = new_file::write(path, over, |sink| {
        left_out = export(tape, form, at, sink)?;
        Ok(())
    })?;
    Ok(ExportOutcome { bytes, left_out })
}

fn left_out_words(count: u64) -> String {
    let times = if count == 1 { "once" } else { &format!("{count} times") };
    format!("a full-screen program was run {times}: what it drew is no text that went by, and is left out")
}

fn write_cast(tape: &Tape, format: cast::AsciicastVersion, sink: &mut dyn Write) -> io::Result<()> {
    let mut writer = cast::CastWriter::new(sink, format, tape.header())?;
    for (time, entry) in tape.entries() {
        match entry {
            TapeEntry::Output(text) => writer.output(time, text.as_bytes()),
            TapeEntry::Input(text) => writer.input(time, text.as_bytes()),
            TapeEntry::Resize { cols, rows } => writer.resize(time, cols, rows),
            TapeEntry::Marker(label) => writer.marker(time, label),
            TapeEntry::Exit(status) => writer.exit(time, status),
        }?;
    }
    writer.finish(tape.length())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tape::TapeLimits;

    #[test]
    fn every_form_holds_what_was_there() {
        let file = "{\"version\":3,\"term\":{\"cols\":20,\"rows\":2},\"title\":\"a <b>\"}\n[1,\"o\",\"one\\r\\ntwo\\r\\n\"]\n\
                    [1,\"m\",\"here\"]\n[1,\"o\",\"three\"]\n[1,\"x\",\"3\"]\n";
        let tape = Arc::new(Tape::read(file.as_bytes(), TapeLimits::default()).unwrap());
        let written = |form, at| {
            let mut bytes = Vec::new();
            assert_eq!(export(Arc::clone(&tape), form, at, &mut bytes).unwrap(), None);
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(written(ExportForm::Text, None), "one\ntwo\nthree\n");
        assert_eq!(written(ExportForm::Text, Some(Duration::from_secs(2))), "one\ntwo\n");
        assert!(
            written(ExportForm::Svg, None).contains("three") && written(ExportForm::Html, None).contains("a &lt;b&gt;")
        );
        for form in [ExportForm::V2, ExportForm::V3] {
            let again = Tape::read(written(form, None).as_bytes(), TapeLimits::default()).unwrap();
            // Version 2 has no exit events.
            let kept = if form == ExportForm::V2 { 3 } else { 4 };
            assert!(again.entries().eq(tape.entries().take(kept)), "{form:?}: {again:?}");
        }
    }
}
