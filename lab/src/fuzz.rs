//! Feeds random bytes and random sequences to `vt`: nothing may panic, hang, grow without bounds or take too long, and
//! chunking and replays must make no difference. It runs on stable Rust and by seed, so every finding can be
//! reproduced.

mod case;
mod crafted;
mod equal;
mod play;
pub(crate) mod random;
mod sequences;
mod shrink;
mod stream;

use std::{
    sync::{Arc, Mutex, mpsc},
    time::{Duration, Instant},
};

use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::Verdict;
use case::{Case, Step};
use play::{BAR, Fault, Player, Position, SharedPosition, Times};

/// Feed random streams to `vt`, with resizes and reads in between
#[derive(Args)]
pub(crate) struct Arguments {
    /// Bytes of each kind, in whole cases of a megabyte; 16 MB unless --seconds is given
    #[arg(long)]
    bytes: Option<u64>,
    #[arg(long, value_enum, default_value_t = Choice::Both)]
    kind: Choice,
    /// The first case; further cases take the next numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Stop each kind after this time
    #[arg(long)]
    seconds: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Choice {
    /// Random bytes
    Noise,
    /// Random text and sequences
    Escapes,
    Both,
    /// Streams crafted to take long, each measured at two sizes
    Crafted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Noise,
    Escapes,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Noise => "noise",
            Kind::Escapes => "escapes",
        }
    }
}

const DEFAULT_BYTES: u64 = 16_000_000;
/// A case that makes no progress for this long hangs: a step takes milliseconds.
const HANG: Duration = Duration::from_secs(60);
/// Growth of this process that is not yet a leak: the largest screen, a full history and a full string twice.
const MEMORY: u64 = 128 << 20;
/// How many findings are printed; further ones are mostly the same.
const MAX_FINDS: usize = 8;
/// Findings of one name: the first often hides another.
const MAX_ALIKE: usize = 4;

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let kinds: &[Kind] = match arguments.kind {
        Choice::Noise => &[Kind::Noise],
        Choice::Escapes => &[Kind::Escapes],
        Choice::Both => &[Kind::Noise, Kind::Escapes],
        Choice::Crafted => return crafted::run(),
    };
    let mut verdict = Verdict::Good;
    for &kind in kinds {
        if let Verdict::Bad = watch(kind, arguments) {
            verdict = Verdict::Bad;
        }
    }
    Ok(verdict)
}

/// Plays cases of `kind` on a thread of their own, because a thread that hangs can only be abandoned.
fn watch(kind: Kind, arguments: &Arguments) -> Verdict {
    let position = SharedPosition::default();
    let (done, finished) = mpsc::channel();
    let limits = Limits {
        bytes: arguments.bytes.unwrap_or(if arguments.seconds.is_some() { u64::MAX } else { DEFAULT_BYTES }),
        deadline: arguments.seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds)),
    };
    let (seed, shared) = (arguments.seed, Arc::clone(&position));
    std::thread::spawn(move || {
        let verdict = play_all(kind, seed, &limits, shared);
        let _ = done.send(verdict);
    });
    let mut last = Position::default();
    loop {
        match finished.recv_timeout(HANG) {
            Ok(verdict) => return verdict,
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                println!("{}: the tool itself failed", kind.name());
                return Verdict::Bad;
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {
                let now = *position.lock().expect("nobody panics while holding the position");
                if now == last {
                    let Position { seed, step, offset, .. } = now;
                    println!("hangs: step {step} at byte {offset} of {}", reproduce(kind, seed));
                    return Verdict::Bad;
                }
                last = now;
            }
        }
    }
}

struct Limits {
    bytes: u64,
    deadline: Option<Instant>,
}

fn play_all(kind: Kind, first: u64, limits: &Limits, position: Arc<Mutex<Position>>) -> Verdict {
    let player = Player::new(Arc::clone(&position));
    let before = play::resident_bytes();
    let mut grown = 0;
    let mut all = Times::default();
    let mut longest = (Duration::ZERO, first);
    let mut finds: Vec<String> = Vec::new();
    let mut bytes = 0;
    for seed in first.. {
        if bytes >= limits.bytes || limits.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            break;
        }
        let case = Case::new(kind, seed);
        bytes += Case::BYTES as u64;
        player.begin(seed);
        let played = player.play(&case).and_then(|times| too_slow(&player, &case, &times).map_or(Ok(times), Err));
        match played {
            Ok(times) => {
                longest = longest.max((times.chunks.iter().max().copied().unwrap_or_default(), seed));
                all.chunks.extend(times.chunks);
                all.resizes.extend(times.resizes);
                all.reads.extend(times.reads);
            }
            Err(fault) if finds.iter().filter(|name| **name == fault.name).count() == MAX_ALIKE => {}
            Err(fault) => {
                let Position { step, offset, .. } = *position.lock().expect("nobody panics while holding the position");
                println!("{}: step {step} at byte {offset} of {}", fault.name, reproduce(kind, seed));
                finds.push(fault.name.clone());
                print_find(&player, case, &fault);
                if finds.len() == MAX_FINDS {
                    println!("{}: enough found", kind.name());
                    break;
                }
            }
        }
        grown = grown.max(player.largest().saturating_sub(before));
        if grown > MEMORY {
            println!("memory has grown by {} MB: {}", grown >> 20, reproduce(kind, seed));
            finds.push("memory".to_owned());
            break;
        }
    }
    println!("{:<8} {:>4} MB, memory grew by {} MB", kind.name(), bytes / 1_000_000, grown >> 20);
    for (what, times) in [("64 KiB", &mut all.chunks), ("resize", &mut all.resizes), ("read", &mut all.reads)] {
        print_times(what, times);
    }
    println!("  the longest 64 KiB: {}", reproduce(kind, longest.1));
    if finds.is_empty() { Verdict::Good } else { Verdict::Bad }
}

fn reproduce(kind: Kind, seed: u64) -> String {
    format!("cargo lab fuzz --kind {} --seed {seed} --bytes 1", kind.name())
}

/// A case that took longer than the bar and does so again when repeated: a page fault or an interrupt does not count.
fn too_slow(player: &Player, case: &Case, times: &Times) -> Option<Fault> {
    let slow = |times: &Times| {
        [("64 KiB", &times.chunks), ("resize", &times.resizes), ("read", &times.reads)].into_iter().find_map(
            |(what, times)| {
                let longest = *times.iter().max()?;
                (longest > BAR).then(|| Fault {
                    name: format!("slow {what}"),
                    detail: format!("{:.1} ms, {} allowed", longest.as_secs_f64() * 1e3, BAR.as_millis()),
                })
            },
        )
    };
    slow(times)?;
    slow(&player.play(case).ok()?)
}

fn print_find(player: &Player, case: Case, fault: &Fault) {
    println!("  {}", fault.detail);
    let again = |case: &Case| match player.play(case) {
        Ok(times) => too_slow(player, case, &times),
        Err(fault) => Some(fault),
    };
    let short = shrink::shrink(case, |case| again(case).is_some_and(|found| found.name == fault.name));
    println!("  cut down: {short}{}", if short.twin { "; in other chunks" } else { "" });
    if let Some(fault) = again(&short) {
        println!("  {}", fault.detail);
    }
    if short.steps.iter().any(|step| matches!(step, Step::Feed(bytes) if bytes.len() > 2000)) {
        println!("  (longer than is shown: no short case was found in time)");
    }
}

fn print_times(what: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let Some(longest) = times.last() else { return };
    let milliseconds = |time: &Duration| time.as_secs_f64() * 1e3;
    let at = |share: f64| milliseconds(&times[(times.len() as f64 * share) as usize]);
    println!(
        "  {what:<7} {:>6} times: median {:.2} ms, p99.9 {:.2} ms, longest {:.2} ms (at most {} allowed)",
        times.len(),
        at(0.5),
        at(0.999),
        milliseconds(longest),
        BAR.as_millis(),
    );
}
