//! Recordings on this side: read from a file, replayed into a terminal of our own, searched, played and exported.
//!
//! A file may be anyone's: what it holds is bounded, and only ever fed to `vt`, never to the person's terminal.

pub(crate) mod player;
mod reel;
mod sightings;
mod tape;
mod timeline;

pub(crate) use self::{
    reel::Reel,
    sightings::{Sighting, pattern, sightings},
    tape::Tape,
    timeline::{clock, parse_clock},
};
