//! Terminal recordings as files: asciicast, versions 2 and 3, read and written as a stream.
//!
//! A [`CastWriter`] turns timed bytes into whole lines, so that a killed recorder leaves a playable file. A
//! [`CastReader`] reads whatever is there, including a last line that was cut off. Called by the recording operation
//! and by players and exporters. It knows nothing of terminals, sessions or any other crate of this house, and opens no
//! files.

mod event;
mod header;
mod reader;
mod text;
mod writer;

pub use event::{CastEvent, EventData};
pub use header::{AsciicastVersion, CastHeader, CastTheme};
pub use reader::{CastReader, ReadError};
pub use writer::CastWriter;
