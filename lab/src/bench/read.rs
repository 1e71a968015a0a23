//! The cost of reads: the grid as text, the whole history as text, a search through it, a frame.

use std::{hint::black_box, time::Instant};

use anyhow::Result;
use clap::Args;
use regex::Regex;
use vt::{Size, Terminal, TerminalOptions};

use super::{median, workload::Workload};
use crate::Verdict;

/// Time to read a 120x40 terminal with 10,000 lines of history
#[derive(Args)]
pub(crate) struct Arguments {
    /// Repetitions; the median is shown
    #[arg(long, default_value_t = 101)]
    rounds: usize,
}

/// Reads a terminal; the string is for reads that give text.
type Work = dyn FnMut(&mut Terminal, &mut String);

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let mut terminal = Terminal::new(TerminalOptions { size: Size::new(120, 40), ..TerminalOptions::default() });
    terminal.feed(&Workload::Log.lines(10_040));
    let lines = terminal.lines();
    let rare = Regex::new(r"id=009\d17 .*status=200")?;
    let absent = Regex::new("no such text")?;
    let mut text = String::new();

    let mut show = |what: &str, bar: f64, unit: f64, name: &str, mut work: Box<Work>| {
        let times = (0..arguments.rounds)
            .map(|_| {
                text.clear();
                let start = Instant::now();
                work(&mut terminal, &mut text);
                start.elapsed().as_secs_f64() * unit
            })
            .collect();
        println!("{what:<34} {:>9.2} {name}   (bar {bar} {name})", median(times));
    };
    show("visible grid as text", 10.0, 1e6, "µs", Box::new(|terminal, text| terminal.grid_text(text)));
    let all = lines.clone();
    show(
        "10,000 lines as text",
        1.0,
        1e3,
        "ms",
        Box::new(move |terminal, text| terminal.lines_text(all.clone(), text)),
    );
    let all = lines.clone();
    show(
        "search 10,000 lines, few found",
        2.0,
        1e3,
        "ms",
        Box::new(move |terminal, _| {
            black_box(terminal.search(&rare, all.clone(), 100));
        }),
    );
    show(
        "search 10,000 lines, none found",
        2.0,
        1e3,
        "ms",
        Box::new(move |terminal, _| {
            black_box(terminal.search(&absent, lines.clone(), 100));
        }),
    );
    show(
        "frame after one changed row",
        10.0,
        1e6,
        "µs",
        Box::new(|terminal, _| {
            terminal.feed(b"\rchanged");
            black_box(terminal.frame());
        }),
    );
    Ok(Verdict::Good)
}
