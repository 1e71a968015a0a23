//! Sessions: programs in terminals that can be read, typed to, waited for and ended.
//!
//! An [`Engine`] owns any number of [`Session`]s. Each has one OS thread that moves its bytes into a
//! [`vt::Terminal`] and publishes a tiny [`Pulse`]; requests are async functions that wake up by
//! it, take a short lock and look for themselves. Locks are never nested and never held over an
//! `.await`.
//!
//! Called by the operations, by the agent rules and by the programs' UI. It knows nothing of tools,
//! faces, presets, trust or configuration, and reads no environment: everything comes in through
//! [`EngineOptions`] and [`NewSession`]. There is no global state: two engines can live in one
//! process.

mod absorb;
mod clock;
mod directory;
mod echo;
mod end_signals;
mod engine;
mod environment;
mod error;
mod facts;
mod fair_lock;
mod frames;
mod freed_memory;
mod input;
mod io_thread;
mod leftovers;
mod lifecycle;
mod line_scan;
mod log_stream;
mod mark;
mod names;
mod notices;
mod options;
mod orphans;
mod pattern;
mod plain_text;
mod ports;
mod pulse;
mod ring;
mod run;
mod runtime;
mod screen;
mod search;
mod second_thread;
mod session;
mod shared;
mod status;
mod supervisor;
mod tap;
mod waits;

pub use clock::{Clock, FakeClock};
pub use end_signals::{EndSignal, EndSignals};
pub use engine::Engine;
pub use environment::{INHERITED_ANYWAY, NOT_INHERITED};
pub use error::{Error, InvalidArgs, LimitExceeded, Result};
pub use facts::{Facts, Seen, SessionEvent};
pub use frames::{ChangedRows, Frames, VersionedFrame};
pub use input::{Input, Sent};
pub use leftovers::end_remembered_sessions;
pub use lifecycle::{Started, StopRequest, to_the_end};
pub use log_stream::LogStream;
pub use mark::Mark;
pub use names::{IdError, NameError, SessionId, SessionName, shown_name};
pub use notices::EngineEvent;
pub use options::{EngineOptions, Limits, NameChoice, NewSession};
pub use pattern::{Pattern, PatternError};
pub use plain_text::{PlainOutput, PlainText};
pub use ports::Port;
pub use pty::{
    ParseSignalError, Pid, RememberedSession, Signal, SpawnError, TtyFacts, read_short_file, return_large_blocks,
};
pub use pulse::Pulse;
pub use ring::RawOutput;
pub use runtime::{build_runtime, worker_threads};
pub use search::{FoundBytes, FoundLine, RawSearchResult, SearchRequest, SearchResult};
pub use session::{Foreground, Session, SessionInfo, Survey};
pub use status::{Ending, ExitStatus, Kind, KindError, Origin, Owner, Status};
pub use tap::{Keyframe, Tap, TapEvent, TapOptions};
pub use waits::{PatternMatch, Place, QuietOutcome, Scope, WaitOutcome, WaitRequest};
