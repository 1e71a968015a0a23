//! Sessions: programs in terminals that can be read, typed to, waited for and ended.
//!
//! An [`Engine`] owns any number of [`Session`]s. Each has one OS thread that moves its bytes into a [`vt::Terminal`]
//! and publishes a tiny [`Pulse`]; requests are async functions that are woken by the pulse, take a short lock and read
//! the state themselves. Locks are not nested, except that the read lock of a terminal comes before all others; none is
//! held over an `.await`.
//!
//! Called by the operations, by the agent rules and by the programs' UI. It knows nothing of tools,
//! faces, presets, trust or configuration, and reads no environment: everything comes in through
//! [`EngineOptions`] and [`NewSession`]. It has no global state: two engines can live in one process.
//!
//! `io/` moves bytes, `session/` is the handle's API, `lifecycle/` starts and ends programs, `wait/` and `text/` search
//! text.

mod clock;
mod directory;
mod engine;
mod error;
mod fair_lock;
mod io;
mod lifecycle;
mod names;
mod notices;
mod options;
mod runtime;
mod session;
mod text;
mod wait;

pub use clock::{Clock, FakeClock};
pub use engine::Engine;
pub use error::{Error, InvalidArgs, LimitExceeded, Result};
pub use io::ring::RawOutput;
pub use io::tap::{Tap, TapEvent, TapKeyframe, TapOptions};
pub use lifecycle::environment::{INHERITED_ANYWAY, NOT_INHERITED};
pub use lifecycle::leftovers::end_remembered_sessions;
pub use lifecycle::start::StartOutcome;
pub use lifecycle::{StopRequest, to_the_end};
pub use names::{IdError, NameError, SessionId, SessionName, near_name, shown_name};
pub use notices::EngineEvent;
pub use options::{EngineLimits, EngineOptions, NameChoice, NewSession};
pub use pty::processes::table as process_table;
pub use pty::{
    HeldProcess, ParseSignalError, Pid, RememberedSession, Signal, SpawnError, TtyFacts, read_short_file,
    return_large_blocks,
};
pub use runtime::{build_runtime, worker_threads};
pub use session::facts::{ChildFacts, SeenValue, SessionEvent};
pub use session::frames::{ChangedRows, FrameStream, VersionedFrame};
pub use session::input::{Input, SentInput};
pub use session::ports::SessionPort;
pub use session::pulse::Pulse;
pub use session::status::{ExitStatus, Kind, KindError, Origin, Owner, RunEnding, Status};
pub use session::{AgedReport, ForegroundJob, Session, SessionInfo, SessionSurvey};
pub use text::pattern::{Pattern, PatternError};
pub use text::plain_output::PlainOutput;
pub use text::search::{FoundBytes, FoundLine, RawSearchResult, SearchRequest, SearchResult};
pub use wait::mark::OutputMark;
pub use wait::{MatchPlace, PatternMatch, PatternScope, QuietOutcome, WaitOutcome, WaitRequest};
