//! Random streams on which the judges agree with each other and not with `vt`: two against one is worth checking. Each
//! finding is shrunk to the operations that matter.

use std::collections::BTreeSet;

use anyhow::Result;
use vt::Size;

use crate::{
    Verdict,
    emulator::{Factory, Kind},
    screen::{Difference, Screen},
};

/// Search random streams for those on which both judges contradict `vt`
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// How many streams to try
    #[arg(long, default_value_t = 2000)]
    count: u64,
    /// The number of the first stream
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Ask only this judge: finds more, including more that is not our mistake
    #[arg(long, value_enum)]
    judge: Option<Kind>,
    /// An interpreter that can import pyghostty; without it, the pinned wheel is put into target/
    #[arg(long, value_name = "PY")]
    python: Option<std::path::PathBuf>,
    /// Leave out operations whose name contains one of these, for example ones already known to differ
    #[arg(long, value_delimiter = ',')]
    without: Vec<String>,
}

/// Small, so that edges are met often.
const SIZE: Size = Size::new(16, 6);
const LONGEST: u64 = 40;

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let ours = Factory::new(Kind::Vt, None)?;
    let kinds = arguments.judge.map_or_else(|| vec![Kind::Alacritty, Kind::Ghostty], |judge| vec![judge]);
    let judges =
        kinds.into_iter().map(|kind| Factory::new(kind, arguments.python.clone())).collect::<Result<Vec<Factory>>>()?;
    let operations: Vec<&Operation> = OPERATIONS
        .iter()
        .filter(|(name, _)| !arguments.without.iter().any(|word| name.contains(word.as_str())))
        .collect();
    let mut seen = BTreeSet::new();
    for seed in arguments.seed..arguments.seed + arguments.count {
        let mut stream = generate(seed, &operations);
        if contradictions(&ours, &judges, &stream)?.is_empty() {
            continue;
        }
        shorten(&mut stream, |shorter| Ok(!contradictions(&ours, &judges, shorter)?.is_empty()))?;
        let signature: BTreeSet<&str> = stream.iter().map(|step| step.name).collect();
        if seen.insert(signature.clone()) {
            let names: Vec<&str> = signature.into_iter().collect();
            println!("seed {seed}: {} | {}", names.join(" "), bytes(&stream).escape_ascii());
            for (difference, judge) in contradictions(&ours, &judges, &stream)? {
                println!("  {}", difference.aspect);
                println!("    vt        |{}", difference.ours);
                println!("    {judge:9} |{}", difference.theirs);
            }
        }
    }
    println!("{} streams, {} kinds of contradiction", arguments.count, seen.len());
    // A search, not a check: both judges make mistakes, sometimes the same ones.
    Ok(Verdict::Good)
}

/// Where we differ from the judges, if they show the same screen throughout.
fn contradictions(ours: &Factory, judges: &[Factory], stream: &[Step]) -> Result<Vec<(Difference, &'static str)>> {
    let ours = screen(ours, stream)?;
    let (first, others) = judges.split_first().expect("there is a judge");
    let theirs = screen(first, stream)?;
    let kept = judges.iter().fold(u16::MAX, |kept, judge| kept & judge.attributes_kept());
    let found = ours.differences(&theirs, kept);
    for other in others {
        if found.is_empty() || !theirs.differences(&screen(other, stream)?, kept).is_empty() {
            return Ok(Vec::new());
        }
    }
    Ok(found.into_iter().map(|difference| (difference, first.kind().name())).collect())
}

fn screen(factory: &Factory, stream: &[Step]) -> Result<Screen> {
    let mut emulator = factory.make(SIZE)?;
    emulator.feed(&bytes(stream))?;
    emulator.screen()
}

fn bytes(stream: &[Step]) -> Vec<u8> {
    stream.iter().flat_map(|step| step.text.bytes()).collect()
}

/// Removes whatever can be removed while `still` holds.
fn shorten(stream: &mut Vec<Step>, still: impl Fn(&[Step]) -> Result<bool>) -> Result<()> {
    let mut run = stream.len() / 2;
    while run > 0 {
        let mut start = 0;
        while start < stream.len() {
            let mut shorter = stream.clone();
            shorter.drain(start..(start + run).min(stream.len()));
            if still(&shorter)? {
                *stream = shorter;
            } else {
                start += run;
            }
        }
        run /= 2;
    }
    Ok(())
}

#[derive(Clone)]
struct Step {
    name: &'static str,
    text: String,
}

/// A name, and the text with `#` for a number around the screen's size, `%` for a small one, and `|` between choices.
/// No number is zero: ghostty takes zero literally where xterm takes it as one.
type Operation = (&'static str, &'static str);

const OPERATIONS: [Operation; 53] = [
    ("text", "abc|hello|0123456789abcdef|0123456789abcdefghij|x|   "),
    ("text", "abc|hello|0123456789abcdef|0123456789abcdefghij|x|   "),
    ("wide", "\u{4e2d}|\u{6587}\u{5b57}|\u{1f44d}|\u{4e2d}\u{6587}\u{4e2d}\u{6587}\u{4e2d}\u{6587}\u{4e2d}\u{6587}x"),
    ("mark", "e\u{301}|\u{301}"),
    ("CR", "\r"),
    ("LF", "\n|\r\n|\n\n"),
    ("BS", "\u{8}"),
    ("HT", "\t"),
    ("CUP", "\x1b[#;#H|\x1b[H|\x1b[#;#f"),
    ("CUU", "\x1b[%A|\x1b[A"),
    ("CUD", "\x1b[%B|\x1b[B"),
    ("CUF", "\x1b[%C|\x1b[C"),
    ("CUB", "\x1b[%D|\x1b[D"),
    ("CNL", "\x1b[%E"),
    ("CPL", "\x1b[%F"),
    ("CHA", "\x1b[#G|\x1b[#`"),
    ("VPA", "\x1b[#d"),
    ("HPR", "\x1b[%a"),
    ("VPR", "\x1b[%e"),
    ("ED", "\x1b[J|\x1b[1J|\x1b[2J"),
    ("EL", "\x1b[K|\x1b[1K|\x1b[2K"),
    ("ECH", "\x1b[%X"),
    ("ICH", "\x1b[%@"),
    ("DCH", "\x1b[%P"),
    ("IL", "\x1b[%L"),
    ("DL", "\x1b[%M"),
    ("SU", "\x1b[%S"),
    ("SD", "\x1b[%T"),
    ("IND", "\x1bD"),
    ("RI", "\x1bM"),
    ("NEL", "\x1bE"),
    ("DECSTBM", "\x1b[r|\x1b[2;4r|\x1b[1;3r|\x1b[3;6r|\x1b[5;6r"),
    ("DECSC", "\x1b7"),
    ("DECRC", "\x1b8"),
    ("DECOM", "\x1b[?6h|\x1b[?6l"),
    ("DECAWM", "\x1b[?7l|\x1b[?7h"),
    ("IRM", "\x1b[4h|\x1b[4l"),
    ("LNM", "\x1b[20h|\x1b[20l"),
    ("alternate", "\x1b[?1049h|\x1b[?1049l|\x1b[?47h|\x1b[?47l|\x1b[?1047h|\x1b[?1047l"),
    ("saved", "\x1b[?1048h|\x1b[?1048l"),
    ("SGR", "\x1b[1m|\x1b[2;3m|\x1b[4m|\x1b[7m|\x1b[8;9m|\x1b[m|\x1b[0m|\x1b[22;24m|\x1b[27;28m|\x1b[21m"),
    ("colour", "\x1b[31m|\x1b[44m|\x1b[95;103m|\x1b[39m|\x1b[49m|\x1b[38;5;9m|\x1b[48;2;1;2;3m|\x1b[38:2::1:2:3m"),
    ("underline", "\x1b[4:3m|\x1b[4:0m|\x1b[58:5:1m|\x1b[58;2;1;2;3m|\x1b[59m"),
    ("HTS", "\x1bH"),
    ("TBC", "\x1b[g|\x1b[3g"),
    ("CHT", "\x1b[%I"),
    ("CBT", "\x1b[%Z"),
    ("REP", "a\x1b[%b|\u{4e2d}\x1b[%b"),
    ("charset", "\x1b(0|\x1b(B|\x1b)0|\u{e}|\u{f}"),
    ("link", "\x1b]8;;http://a/\x1b\\|\x1b]8;;\x1b\\"),
    ("margins", "\x1b[?69h|\x1b[?69l|\x1b[%;#s|\x1b[s"),
    ("DECSTR", "\x1b[!p"),
    ("reset", "\x1bc|\x1b#8"),
];

fn generate(seed: u64, operations: &[&Operation]) -> Vec<Step> {
    // splitmix64: every seed gives a different stream, and neighbouring seeds give unrelated ones.
    let mut state = seed;
    let mut below = move |limit: u64| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    };
    let steps = 3 + below(LONGEST);
    (0..steps)
        .map(|_| {
            let (name, choices) = operations[below(operations.len() as u64) as usize];
            let choices: Vec<&str> = choices.split('|').collect();
            let choice = choices[below(choices.len() as u64) as usize];
            let mut text = String::new();
            for character in choice.chars() {
                match character {
                    // Not the `#` of DECALN.
                    '#' if !choice.starts_with("\x1b#") => text += &(1 + below(u64::from(SIZE.cols) + 2)).to_string(),
                    '%' => text += &(1 + below(4)).to_string(),
                    _ => text.push(character),
                }
            }
            Step { name, text }
        })
        .collect()
}
