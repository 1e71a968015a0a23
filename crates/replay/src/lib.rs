//! Recordings, replayed: read from a file, put into a terminal of our own at any moment, searched in time, exported.
//!
//! Called by the player that both programs draw (`tui`), by the web page's server, and by the commands that export and
//! search. A file may be anyone's: what is kept of it is bounded, and it is only ever fed to `vt`. It knows no clock,
//! no widgets, no sessions, and not who looks.

mod export;
mod folder;
mod keyframes;
mod new_file;
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
