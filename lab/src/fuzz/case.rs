//! One case: a terminal, its input, and the resizes and reads in between.

use std::fmt;

use vt::Size;

use super::{Kind, random::Random, stream};

/// As large as one read of the engine, which the time bar applies to.
pub(super) const CHUNK: usize = 64 << 10;
/// Long enough to fill the history several times, short enough to be shrunk when it fails.
const CHUNKS: usize = 16;

#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) size: Size,
    pub(super) steps: Vec<Step>,
    /// A second terminal is fed the same in different chunks, and must end up equal.
    pub(super) twin: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Step {
    Feed(Vec<u8>),
    Resize(Size),
    Read(Reading),
    /// The deadline of a synchronized update passes.
    Expire,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Reading {
    Frame,
    Grid,
    Lines,
    /// And replay it on a fresh terminal, which must show the same.
    Serialize,
}

impl Case {
    pub(super) const BYTES: usize = CHUNKS * CHUNK;

    pub(super) fn new(kind: Kind, seed: u64) -> Self {
        // Different for each kind, so that the same seed gives another case there.
        let mut random = Random::new(seed ^ (kind as u64) << 56);
        let size = any_size(&mut random);
        let mut bytes = match kind {
            Kind::Noise => stream::noise(&mut random, Self::BYTES),
            Kind::Escapes => stream::escapes(&mut random, Self::BYTES),
        };
        let mut steps = Vec::new();
        while !bytes.is_empty() {
            let mut chunk = bytes.split_off(bytes.len().saturating_sub(CHUNK));
            for _ in 0..random.below(5) {
                let rest = chunk.split_off(random.below(chunk.len() + 1));
                steps.push(Step::Feed(chunk));
                steps.push(interruption(&mut random));
                chunk = rest;
            }
            steps.push(Step::Feed(chunk));
        }
        steps.push(Step::Read(Reading::Serialize));
        Case { size, steps, twin: random.one_in(4) }
    }
}

fn interruption(random: &mut Random) -> Step {
    match random.below(8) {
        0..=2 => Step::Resize(any_size(random)),
        3 => Step::Read(Reading::Frame),
        4 => Step::Read(Reading::Grid),
        5 => Step::Read(Reading::Lines),
        6 => Step::Read(Reading::Serialize),
        _ => Step::Expire,
    }
}

/// Up to 300x100, often small, because edges are reached sooner there.
fn any_size(random: &mut Random) -> Size {
    let (cols, rows) = match random.below(8) {
        0 => (4, 3),
        1..=3 => (24, 8),
        4 | 5 => (120, 40),
        _ => (300, 100),
    };
    Size::new(random.between(1, cols), random.between(1, rows))
}

/// In the form that one would type into a test.
impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.size.cols, self.size.rows)?;
        for step in &self.steps {
            match step {
                Step::Feed(bytes) if bytes.len() > 2000 => write!(f, "; feed {} bytes", bytes.len())?,
                Step::Feed(bytes) => write!(f, "; feed b\"{}\"", bytes.escape_ascii())?,
                Step::Resize(size) => write!(f, "; resize {}x{}", size.cols, size.rows)?,
                Step::Read(reading) => write!(f, "; read {reading:?}")?,
                Step::Expire => write!(f, "; expire")?,
            }
        }
        Ok(())
    }
}
