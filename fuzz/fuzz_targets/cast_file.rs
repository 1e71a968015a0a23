//! Untrusted recordings: read within the limits, written back unchanged, and the same at a moment however that moment
//! is reached.
#![no_main]

use std::{io::BufReader, sync::Arc, time::Duration};

use libfuzzer_sys::fuzz_target;
use replay::{ExportForm, Reel, Tape, TapeEntry, TapeError, TapeLimits, export, pattern, sightings};

const LIMITS: TapeLimits = TapeLimits { bytes: 2000, events: 60 };
/// The number of cells in all sizes of a recording. Larger screens would be just as correct, but a thousand times
/// slower.
const MAX_CELLS: usize = 100_000;

fuzz_target!(|file: &[u8]| {
    let tape = match Tape::read(file, LIMITS) {
        Ok(tape) => tape,
        Err(TapeError::Read(error)) => return assert!(!error.to_string().is_empty()),
        Err(TapeError::TooLarge { .. }) => return,
    };
    // The same file through a tiny buffer.
    let in_pieces = Tape::read(BufReader::with_capacity(3, file), LIMITS).expect("it was read a moment ago");
    assert!(tape.entries().eq(in_pieces.entries()) && tape.ending() == in_pieces.ending(), "other reads, another tape");
    assert!(tape.len() <= LIMITS.events && tape.text_bytes() <= LIMITS.bytes);
    let times: Vec<Duration> = tape.entries().map(|(time, _)| time).collect();
    assert!(times.is_sorted(), "{times:?}");
    assert_eq!(tape.events_until(tape.length()), tape.len());
    let tape = Arc::new(tape);
    written_again(&tape);
    pauses_are_shortened(file, &tape);
    if cells(&tape) <= MAX_CELLS {
        any_way_there(&tape);
        pictures(&tape);
    }
});

fn written_again(tape: &Arc<Tape>) {
    for form in [ExportForm::V3, ExportForm::V2] {
        let file = exported(tape, form, None);
        let limits = TapeLimits { events: LIMITS.events + 1, ..LIMITS };
        let again = Tape::read(&file[..], limits).expect("what is exported can be read");
        assert_eq!(again.ending().warning(), None);
        // Version 2 has no exit event, and empty output is not written.
        let kept = tape.entries().filter(|(_, entry)| match entry {
            TapeEntry::Output("") | TapeEntry::Input("") => false,
            TapeEntry::Exit(_) => form == ExportForm::V3,
            _ => true,
        });
        assert!(again.entries().eq(kept), "{form:?}: {tape:?} became {again:?}");
        let (before, after) = (tape.header(), again.header());
        assert_eq!((after.cols, after.rows, &after.title), (before.cols, before.rows, &before.title));
        assert_eq!((&after.command, after.timestamp), (&before.command, before.timestamp));
    }
}

fn pauses_are_shortened(file: &[u8], tape: &Tape) {
    let limit = Duration::from_millis(500);
    let mut shorter = Tape::read(file, LIMITS).expect("it was read a moment ago");
    shorter.shorten_pauses(limit);
    assert_eq!(shorter.pauses(limit).count(), 0);
    assert!(shorter.length() <= tape.length() && shorter.len() == tape.len());
}

fn cells(tape: &Tape) -> usize {
    let area = |cols: u16, rows: u16| usize::from(cols) * usize::from(rows);
    let resizes = tape.entries().map(|(_, entry)| match entry {
        TapeEntry::Resize { cols, rows } => area(cols, rows),
        _ => 0,
    });
    resizes.sum::<usize>() + area(tape.header().cols, tape.header().rows)
}

fn any_way_there(tape: &Arc<Tape>) {
    let mut wandering = Reel::new(Arc::clone(tape));
    wandering.go_to_end();
    for events in [tape.len() / 2, tape.len(), tape.len() / 3, 0] {
        let mut forwards = Reel::new(Arc::clone(tape));
        while forwards.fed() < events && forwards.step() {}
        wandering.go_to_event(events);
        let (here, there) = (wandering.frame(), forwards.frame());
        assert_eq!((here.text(), here.size), (there.text(), there.size), "after {events} events");
    }
    let found = sightings(tape, pattern("[a-z]").expect("it is one"), 20);
    assert!(found.iter().all(|line| line.event <= tape.len() && line.until.is_none_or(|until| until >= line.from)));
}

fn pictures(tape: &Arc<Tape>) {
    for form in [ExportForm::Text, ExportForm::Svg, ExportForm::Html] {
        let file = exported(tape, form, Some(tape.length() / 2));
        let text = String::from_utf8(file).expect("pictures are text");
        // Whoever opens the file gets the recording's content only as text.
        assert!(!text.contains('\x1b'), "{form:?}");
        if form != ExportForm::Text {
            assert!(!text.to_lowercase().contains("<script"), "{form:?}");
        }
    }
}

fn exported(tape: &Arc<Tape>, form: ExportForm, at: Option<Duration>) -> Vec<u8> {
    let mut bytes = Vec::new();
    export(Arc::clone(tape), form, at, &mut bytes).expect("memory takes every write");
    bytes
}
