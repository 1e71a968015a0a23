//! Replays recordings: reads them from a file, shows the screen of any moment in a terminal of our own, searches in
//! time, exports.
//!
//! Called by the player widget (`tui`), by the web page's server, and by the commands that export and search. Files are
//! untrusted: memory is bounded, and content is only ever fed to `vt`. It knows no clock, no widgets, no sessions, and
//! not who is watching.

mod export;
mod folder;
mod keyframes;
mod new_file;
pub mod picture;
mod printed;
mod reel;
mod sightings;
mod tape;
mod timeline;

pub use export::{ExportForm, ExportOutcome, export, export_file};
pub use folder::{FileError, RecordingFile, find, list, open, read_file};
pub use reel::Reel;
pub use sightings::{Sighting, SightingPatternError, SightingSearch, pattern, sightings};
pub use tape::{NamedMoment, Tape, TapeEnding, TapeEntry, TapeError, TapeLimits};
pub use timeline::{clock, parse_clock};
