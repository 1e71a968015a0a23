//! A recording in another form.

use std::{sync::Arc, time::Duration};

use crate::{
    reel::Reel,
    tape::{Entry, Tape},
};

/// The forms there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Export {
    /// asciicast, version 2: what older players know.
    V2,
    /// asciicast, version 3.
    V3,
    /// What was printed, as text.
    Text,
    /// A picture of the screen.
    Svg,
    /// A page with the screen.
    Html,
}

impl Export {
    pub const ALL: [Export; 5] = [Export::V3, Export::V2, Export::Text, Export::Svg, Export::Html];

    /// What the file's name ends with.
    pub fn extension(self) -> &'static str {
        match self {
            Export::V2 | Export::V3 => "cast",
            Export::Text => "txt",
            Export::Svg => "svg",
            Export::Html => "html",
        }
    }
}

/// The bytes of a file. Text and pictures are of the moment `at`, or else of the end.
pub fn export(tape: Arc<Tape>, form: Export, at: Option<Duration>) -> Vec<u8> {
    let options = picture::Options { cursor: false, title: tape.header().title.clone() };
    let place = at.map_or(tape.len(), |time| tape.events_until(time));
    match form {
        Export::V2 => as_cast(&tape, cast::Format::V2),
        Export::V3 => as_cast(&tape, cast::Format::V3),
        Export::Text => as_text(tape, place),
        Export::Svg | Export::Html => {
            let mut reel = Reel::new(tape);
            reel.go_to_event(place);
            let frame = reel.frame();
            let picture = match form {
                Export::Html => picture::html(&frame, &options),
                _ => picture::svg(&frame, &options),
            };
            picture.into_bytes()
        }
    }
}

fn as_text(tape: Arc<Tape>, place: usize) -> Vec<u8> {
    let mut reel = Reel::with_history(tape);
    reel.go_to_event(place);
    let terminal = reel.terminal();
    let mut text = String::new();
    match terminal.alternate_screen() {
        // A full-screen program has no lines that go by: its screen is all there is.
        true => terminal.grid_text(&mut text),
        false => terminal.lines_text(terminal.lines(), &mut text),
    }
    let kept = text.trim_end_matches('\n').len();
    text.truncate(kept);
    text.push('\n');
    text.into_bytes()
}

fn as_cast(tape: &Tape, format: cast::Format) -> Vec<u8> {
    const FITS: &str = "memory takes every write";
    let mut writer = cast::Writer::new(Vec::new(), format, tape.header()).expect(FITS);
    for (time, entry) in tape.entries() {
        match entry {
            Entry::Output(text) => writer.output(time, text.as_bytes()),
            Entry::Input(text) => writer.input(time, text.as_bytes()),
            Entry::Resize { cols, rows } => writer.resize(time, cols, rows),
            Entry::Marker(label) => writer.marker(time, label),
            Entry::Exit(status) => writer.exit(time, status),
        }
        .expect(FITS);
    }
    writer.finish(tape.length()).expect(FITS);
    writer.into_sink()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tape::Limits;

    #[test]
    fn every_form_holds_what_was_there() {
        let file = "{\"version\":3,\"term\":{\"cols\":20,\"rows\":2},\"title\":\"a <b>\"}\n[1,\"o\",\"one\\r\\ntwo\\r\\n\"]\n\
                    [1,\"m\",\"here\"]\n[1,\"o\",\"three\"]\n[1,\"x\",\"3\"]\n";
        let tape = Arc::new(Tape::read(file.as_bytes(), Limits::default()).unwrap());
        let written = |form, at| String::from_utf8(export(Arc::clone(&tape), form, at)).unwrap();
        assert_eq!(written(Export::Text, None), "one\ntwo\nthree\n");
        assert_eq!(written(Export::Text, Some(Duration::from_secs(2))), "one\ntwo\n");
        assert!(written(Export::Svg, None).contains("three") && written(Export::Html, None).contains("a &lt;b&gt;"));
        for form in [Export::V2, Export::V3] {
            let again = Tape::read(written(form, None).as_bytes(), Limits::default()).unwrap();
            // Version 2 knows no exit.
            let kept = if form == Export::V2 { 3 } else { 4 };
            assert!(again.entries().eq(tape.entries().take(kept)), "{form:?}: {again:?}");
        }
    }
}
